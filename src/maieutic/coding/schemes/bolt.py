"""The BOLT code book: what therapist and client do in each utterance, several codes allowed."""

from __future__ import annotations

from maieutic.coding.book import Label, Scheme

BOLT = Scheme(
    id="bolt",
    name="BOLT",
    therapist=(
        Label(
            "Reflections on Needs",
            "Makes needs explicit",
            "Names a need that the client has implied.",
            ("You need an hour in the day that nobody can call on.", "It seems you want someone to simply ask."),
        ),
        Label(
            "Reflections on Emotions",
            "Makes emotions explicit",
            "Names a feeling that was in the background.",
            ("There is some grief in how you say his name.", "You sound relieved, and surprised by it."),
        ),
        Label(
            "Reflections on Values",
            "Makes values explicit",
            "Names what the client evidently holds important.",
            ("Keeping your word matters a great deal to you.", "Being there for the boys comes first."),
        ),
        Label(
            "Reflections on Consequences",
            "Makes consequences explicit",
            "States what follows for the client.",
            ("Each late night takes the next morning with it.", "If the shouting stopped, she might come downstairs."),
        ),
        Label(
            "Reflections on Conflicts",
            "Makes conflict explicit",
            "Names a tug-of-war, inside or around the client.",
            ("Half of you wants to ring her and half wants to be asked.", "Your mother says stay, your body says go."),
        ),
        Label(
            "Reflections on Strengths",
            "Makes strengths or resources explicit",
            "Names an ability, a success or a support that the client shows or has.",
            ("You got through that week with hardly any sleep and no drink.", "You have a brother who turns up."),
        ),
        Label(
            "Questions on Experiences",
            "Evokes concrete elaboration",
            "Asks for more about one event, habit or thing that was said.",
            ("What happened on the stairs?", "How does a usual Monday go?"),
        ),
        Label(
            "Questions on Perspectives",
            "Evokes perspective elaboration",
            "Asks the client to look from elsewhere: another person, a later time, an imagined success.",
            ("What would your grandmother have said to that?", "Say it has worked: what do you see from there?"),
        ),
        Label(
            "Questions on Emotions",
            "Emotion check-in",
            "Asks how something from this very talk feels now.",
            ("What is it like to say that aloud here?", "How are you with what I just said?"),
        ),
        Label(
            "Problem-Solving",
            "Problem-solving",
            "Puts forward a way, or ways, out of the problem.",
            ("You could leave the phone in the kitchen at night.", "What about a lift with your neighbour?"),
        ),
        Label(
            "Planning",
            "Planning",
            "Works out with the client what will be done, when and how.",
            ("So on Tuesday, after work, you ring the clinic.", "Which evening shall we put the walk on?"),
        ),
        Label(
            "Normalizing",
            "Normalizing",
            "Calls the reaction understandable or common, sympathises, encourages.",
            ("Most people would have been shaken by that.", "No wonder you were short with him."),
        ),
        Label(
            "Psychoeducation",
            "Teaching or psychoeducation",
            "Explains how mind, habit or therapy works.",
            ("A craving rises, peaks and sinks, like a wave.", "What we avoid tends to grow in the mind."),
        ),
    ),
    client=(
        Label(
            "Changing Unhealthy Behavior",
            "Changing",
            "Intends, tries or has begun to leave a harmful habit.",
            ("I have left the car at home on Fridays so I don't end up there.", "I mean to be down to five by June."),
        ),
        Label(
            "Sustaining Unhealthy Behavior",
            "Sustaining",
            "Keeps, or means to keep, a harmful habit.",
            ("I still have a bottle before bed, always will.", "I'm not ready to give up the betting."),
        ),
        Label(
            "Sharing Negative Emotions",
            "Negative feeling",
            "Tells of a painful feeling, named or plain to hear.",
            ("I felt sick with shame.", "I sat in the car and howled."),
        ),
        Label(
            "Sharing Positive Emotions",
            "Positive feeling",
            "Tells of a pleasant feeling, named or plain to hear.",
            ("I was so light, walking back.", "Honestly I was chuffed."),
        ),
        Label(
            "Gained Insights",
            "Insight",
            "Says that something about themselves or their life is newly understood.",
            ("I see now that I was waiting for him to stop me.", "Huh. So it was never about the dishes."),
        ),
        Label(
            "Sharing Experiences",
            "Event or situation",
            "Tells what happened, or how life is arranged at present.",
            ("We share the flat with two of her cousins.", "On Sunday the pipe burst again."),
        ),
    ),
    multi_label=True,
    source="Chiu, Sharma, Lin, Althoff: A Computational Framework for Behavioral Assessment of LLM Therapists, 2024",
    departures="The packaged coder is a small model instead of a prompted LLM; no 'unknown': the likeliest code "
    "is always "
    "given.",
)
