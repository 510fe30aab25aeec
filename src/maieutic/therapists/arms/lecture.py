"""The lecturer: explains at length why the thought is a mistake, and asks nothing."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_LECTURES = (
    "Let me explain what is going on here. In cognitive therapy this is called overgeneralisation. "
    "You take one event and draw a rule from it that covers your whole life. Research shows that "
    "people with low mood do this all the time, and that it keeps the low mood going. The rational "
    "conclusion is that one event proves nothing at all.",
    "There is a lot of research on this. The brain has a negativity bias that comes from evolution, "
    "so bad events weigh more than good ones. That is why you see it this way. In reality the good "
    "events are just as many, and a reasonable person would count them too. Your feeling is simply not evidence.",
    "What you are describing is a thinking error, and a well-known one. People tend to read other "
    "people's minds and then treat the guess as a fact. Studies show that such guesses are wrong more "
    "often than right. So the thought that you have is most likely mistaken, and you can let it go once you see that.",
    "Thoughts influence feelings, feelings influence behaviour, and behaviour influences thoughts "
    "again. This is the model. If you change the thought, the feeling follows. It is important to "
    "understand that it is not the event that upsets you, it is what you tell yourself about it, and "
    "that part is under your control.",
    "You are exaggerating, if I may say so, and I want to show you why. A single case can never "
    "support a statement with always or never in it. That is plain logic. If you look at it as a "
    "scientist would, your conclusion does not follow from what you have told me, and so it is not realistic.",
    "Many people make themselves unhappy with words such as must and should. The technique is to "
    "replace them with words such as would like to. That sounds simple, and the effect is well known. "
    "You need to watch your language, because the language shapes the thought, and the thought shapes "
    "the mood that you are in.",
    "Perfection does not exist, and psychology has known this for a long time. People with high "
    "standards are not happier than others, they are less happy. Statistically you are very probably "
    "quite average, as most people are, and being average is completely normal. Once that is "
    "accepted, the pressure goes down by itself.",
    "The symptoms that you have are explained by avoidance. Each time you avoid something, the "
    "anxiety goes down, and so the avoidance is rewarded. That is how learning works. The truth is "
    "that you keep the problem alive yourself, and you have to expose yourself to what you fear in "
    "order to get rid of it.",
    "Self-esteem is the sum of what you have learned to say about yourself. Children learn it from "
    "their parents, and adults repeat it. It has nothing to do with facts. In reality nobody has more "
    "worth than anybody else, so the question of whether you are worth something is meaningless from "
    "a logical point of view.",
    "Memory is not a film. Studies show that people in a low mood remember low events, and that they "
    "even invent some. So what you remember is distorted. The fact is that you cannot trust your "
    "memory at the moment, and you should not draw conclusions from what you think you remember about that day.",
)


@therapist("lecture")
@dataclass(frozen=True, slots=True)
class Lecturer:
    """Explains and argues each turn; knows the theory, hears nobody."""

    name: str = "lecture"

    async def respond(self, session: Session) -> Turn:
        """The next lecture, in an order drawn by the session's seed."""
        return next_line(session, _LECTURES)
