"""One session as a picture for docs/patients.md: `python recipes/session_picture.py > docs/pictures/session.svg`."""

from __future__ import annotations

from maieutic.runs import figures
from maieutic.validation.sessions import Task, episodes_of

CASE, ARM, SEED = "gethin", "oracle", 1


def picture() -> str:
    """Held conviction, distress and openness by turn, with the turns at which facts were told and weighed."""
    episode = next(episodes_of(Task(CASE, (ARM,), (SEED,))))
    rows, marks = [], []
    for turn, state in enumerate(episode.states):
        for name, value in (
            ("held conviction", state.held),
            ("distress", state.distress),
            ("openness × 100", 100.0 * state.openness),
        ):
            rows.append({"turn": turn, "value": round(value, 2), "what": name})
        before = episode.states[max(0, turn - 1)]
        fresh = [v.evidence for v in state.voiced[len(before.voiced) :] if v.by == "patient" and v.credit]
        marks += [{"turn": turn, "value": round(state.held, 2), "event": "fact told on being asked"} for _ in fresh]
        if len(state.weighed) > len(before.weighed):
            marks.append({"turn": turn, "value": round(state.held, 2), "event": "set against the thought"})
    names = ["held conviction", "distress", "openness × 100"]
    colours = {"domain": names, "range": [figures.BLUE, figures.ORANGE, figures.TEAL]}
    dashes = {"domain": names, "range": [[1, 0], [5, 3], [2, 2]]}
    legend = {"title": None, "orient": "bottom"}
    x = figures.scaled("turn", "therapist turn", axis={"tickCount": 10})
    y = figures.scaled("value", "0 to 100", scale={"domain": [0, 100]})
    what = {
        "color": figures.named("what", scale=colours, legend=legend),
        "strokeDash": figures.named("what", scale=dashes, legend=legend),
    }
    dot = {"type": "point", "filled": True, "size": 70, "color": figures.INK, "opacity": 1}
    layers = [
        figures.layer(rows, {"type": "line", "strokeWidth": 2}, x=x, y=y, **what),
        figures.layer(marks, dot, x=x, y=y, shape=figures.named("event", legend=legend)),
    ]
    spec = figures.layered(layers, width=620, height=260)
    drawn = figures.drawn(spec, "One session of the oracle", f"case {CASE}: conviction, distress and openness by turn")
    # Alone in a file, an SVG without its namespace is a broken picture to browsers.
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


if __name__ == "__main__":
    print(picture())
