"""How Socratic questions are put: rules against labels that were given before the rules were run on them."""

from __future__ import annotations

import pytest

from maieutic.coding.book import Coding, FacetCoding
from maieutic.coding.rules import socratic_facets, with_rule_facets
from maieutic.coding.schemes import get_scheme
from maieutic.transcripts.utterance import Utterance

# Text, then l(eads), s(tacks), a(dvises) where they hold, then what it reaches for.
LABELLED = """
What makes you so sure that she was laughing at you? || evidence
What have you noticed this week that does not fit with being useless? || evidence
How do you know he meant it that way? || evidence
Has there ever been a day when the thought was a little weaker? || evidence
What facts would a careful reporter have written down that evening? || evidence
Which signs told you that the meeting had gone badly? || evidence
Where does that rule come from, that you may never be late? || evidence
What speaks against it? || evidence
Can you think of an example? || evidence
On what do you base that? || evidence
What did you see in his face just then? || evidence
Why do you believe it was your doing? || evidence
How would your sister describe that same afternoon? || perspective
If a good friend told you this, what would you say to her? || perspective
Is there another way of reading his silence? || perspective
What might he have been thinking when he closed the door? || perspective
Ten years from now, how will you look at this week? || perspective
What would somebody who loves you make of that list? || perspective
How might the same thing look from the teacher's chair? || perspective
What else could have kept her from ringing? || perspective
Suppose your son made that mistake; what would you tell him? || perspective
How would you see it on a calmer day? || perspective
What would the you of last summer think of it? || perspective
How would an outsider tell this story? || perspective
If that were true, what would follow for you? || implication
What happens when you hold on to that rule? || implication
And if they did say no, what then? || implication
What does believing this cost you? || implication
Where will it lead if you keep saying yes to everybody? || implication
What is the worst that could come of it? || implication
How does that thought affect what you do in the morning? || implication
What would change if you let one evening go? || implication
What would it mean for you to be average at this? || implication
Suppose you fail the test; how would the next week go? || implication
What do you gain by checking it a fourth time? || implication
What will happen to the friendship if nothing is said? || implication
What did you feel when the phone stayed silent? || emotion
How was that for you? || emotion
What is it like to tell me this? || emotion
Where in your body do you notice the fear? || emotion
Which feeling came first? || emotion
How are you right now, with what I just asked? || emotion
Were you angry, or more sad? || emotion
What was going on in your heart on the way home? || emotion
Is there some shame in it as well? || emotion
What time did you get up? || none
Who else lives with you? || none
What happened next? || none
Tell me about the meeting. || none
Which bus do you take to work? || none
How long have you had that job? || none
When you say a mess, what does that word stand for? || none
Could you say a little more about the walk? || none
So the evenings are long. || none
I see. || none
You carried all of it by yourself for years. || none
It sounds as though the house feels empty now. || none
Hello, good to see you again. || none
Don't you think he was just busy? |l| none
Wouldn't you say that you did rather well? |l| none
Isn't it simply that you were tired? |l| none
Surely that shows they like you? |l| none
Doesn't that mean you are loved? |l| none
You know it isn't your fault, don't you? |l| none
Would you agree that nobody is perfect? |l| none
Isn't it true that everyone makes mistakes? |l| none
Can't you see that she cares about you? |l| none
So it's really about your father, isn't it? |l| none
You are being too hard on yourself, right? |l| none
Aren't you just afraid of being alone? |l| emotion
Haven't you already shown that you can do it? |l| none
Clearly he did not mean it, did he? |l| none
What happened there, and who was with you? |s| none
Did you sleep? Did you eat? And how was work? |s| none
How did that feel? What did you do then? |s| emotion
What makes you think so? And what would your brother say? |s| perspective
Who told you? When was that? |s| none
Why did you go, and what did you hope for? |s| none
Have you thought about joining a choir? |a| none
Why don't you ring her tonight? |a| none
You should write the thoughts down every evening. |a| none
Maybe you could go for a short walk first? |a| none
What about asking your boss for a day off? |a| none
I would suggest a small step to start with. |a| none
Try to breathe out slowly when it starts. |a| none
How about leaving the phone in the kitchen? |a| none
Have you tried talking to him? And what about seeing a doctor? |sa| none
Wouldn't it be better to tell her? |la| none
Don't you think you should rest more? |la| none
It is important that you keep a regular bedtime. |a| none
"""

# Written after the rules. At the first run on them the rules agreed in 1.00, 0.98, 1.00 and 0.83 of the cases (leads,
# stacks, advises, reaches); one rule that took "did he say" for a change of perspective was mended afterwards.
FRESH = """
What would have to happen for you to doubt it? || evidence
Which part of that do you know, and which part do you guess? |s| evidence
How did you find out that they meant you? || evidence
What reasons did she give? || evidence
Has anyone said so to your face? || evidence
Is there a time when it turned out otherwise? || evidence
What makes this more than a guess? || evidence
How would your grandfather have put it? || perspective
What might a stranger on the same bus have noticed? || perspective
Could there be more than one explanation? || perspective
What would you write to a friend in the same spot? || perspective
How does it look when you imagine her side? || perspective
Looking back in a year, what will matter about it? || perspective
What would Marta say about the way you speak to yourself? || perspective
If you went on like this for a year, what would your days look like? || implication
What would it say about you if the plan failed? || implication
What are the consequences of staying silent? || implication
How has living by that rule changed your evenings? || implication
And if it were only half true, what would that change? || implication
What do you lose when you say yes? || implication
What might come of telling her? || implication
How did your chest feel in that moment? || emotion
Are you afraid of what comes next? || emotion
What was that like for you? || emotion
How strong was the sadness on Sunday? || emotion
What hurt the most? || emotion
How many people work there? || none
Where did you grow up? || none
What did he say then? || none
Could you describe the kitchen to me? || none
What do you mean by normal? || none
You waited for two hours. || none
That is a hard thing to carry. || none
Thank you for coming in today. || none
Shouldn't you be kinder to yourself? |la| none
Isn't that a bit harsh? |l| none
You do see that it was an accident, don't you? |l| none
Wouldn't you agree that it went well? |l| none
It was just bad luck, right? |l| none
Isn't it possible that you misread her? |l| none
Where were you? Who called? |s| none
What did you say, and how did she take it? |s| none
Could you perhaps call the clinic tomorrow? |a| none
You might want to keep a diary. |a| none
Have you considered a smaller flat? |a| none
Make sure you eat something before noon. |a| none
If I were you I would talk to the union. |a| none
What about taking the stairs? |a| none
"""


def _labelled(lines: str = LABELLED) -> list[tuple[str, dict[str, str]]]:
    rows = []
    for line in lines.strip().splitlines():
        text, marks, reaches = (part.strip() for part in line.split("|"))
        facets = {"leads": "l", "stacks": "s", "advises": "a"}
        wanted = {facet: "true" if mark in marks else "false" for facet, mark in facets.items()}
        rows.append((text, wanted | {"reaches": reaches}))
    return rows


def _found(text: str) -> dict[str, str]:
    return {facet: coding.value for facet, coding in socratic_facets(text).items()}


def test_there_are_enough_labels() -> None:
    assert len(_labelled()) >= 60
    assert len({text for text, _ in _labelled()}) == len(_labelled())


@pytest.mark.parametrize(("facet", "least"), [("leads", 0.9), ("stacks", 0.9), ("advises", 0.9), ("reaches", 0.85)])
def test_rules_agree_with_the_labels(facet: str, least: float) -> None:
    misses = [(text, wanted[facet], _found(text)[facet]) for text, wanted in _labelled()
              if _found(text)[facet] != wanted[facet]]  # fmt: skip
    assert 1 - len(misses) / len(_labelled()) >= least, misses


@pytest.mark.parametrize(("facet", "least"), [("leads", 0.95), ("stacks", 0.95), ("advises", 0.95), ("reaches", 0.8)])
def test_rules_agree_with_labels_they_were_not_written_for(facet: str, least: float) -> None:
    fresh = _labelled(FRESH)
    misses = [(text, wanted[facet]) for text, wanted in fresh if _found(text)[facet] != wanted[facet]]
    assert 1 - len(misses) / len(fresh) >= least, misses


@pytest.mark.parametrize("facet", ["leads", "stacks", "advises"])
def test_marks_are_found_and_not_only_denied(facet: str) -> None:
    marked = [text for text, wanted in _labelled() if wanted[facet] == "true"]
    assert sum(_found(text)[facet] == "true" for text in marked) / len(marked) >= 0.8


def test_values_are_those_of_the_code_book() -> None:
    values = {facet.id: {value.id for value in facet.values} for facet in get_scheme("socratic").facets}
    for text, _ in _labelled():
        found = _found(text)
        assert set(found) == set(values)
        assert all(found[facet] in values[facet] for facet in values)


def test_nothing_said_has_no_mark() -> None:
    assert _found("") == _found("…") == {"leads": "false", "stacks": "false", "advises": "false", "reaches": "none"}


def test_facets_are_filled_where_the_coder_left_them_out() -> None:
    socratic, annomi = get_scheme("socratic"), get_scheme("annomi")
    said = [Utterance("therapist", "Don't you think he was tired?"), Utterance("client", "No.")]
    codings = [Coding((), {}, False), Coding((), {}, False)]
    filled = with_rule_facets(socratic, said, codings)
    assert filled[0].facets["leads"].value == "true" and not filled[1].facets
    assert with_rule_facets(annomi, said, codings) == codings
    own = Coding((), {}, False, {"leads": FacetCoding("false", {"true": 0.2, "false": 0.8})})
    kept = with_rule_facets(socratic, said[:1], [own])[0].facets
    assert kept["leads"].probabilities["true"] == 0.2 and kept["stacks"].value == "false"
