"""One session as a picture for docs/patients.md: `python -m maieutic.validation.picture >
docs/pictures/session.svg`."""

from __future__ import annotations

from maieutic.evaluation import charts
from maieutic.validation.turn_chart import LINE, Layer, over_turns
from maieutic.validation.worlds import Task, episodes_of

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
    colours = {"domain": names, "range": [charts.BLUE, charts.ORANGE, charts.TEAL]}
    dashes = {"domain": names, "range": [[1, 0], [5, 3], [2, 2]]}
    legend = {"title": None, "orient": "bottom"}
    what = {
        "color": {"field": "what", "type": "nominal", "scale": colours, "legend": legend},
        "strokeDash": {"field": "what", "type": "nominal", "scale": dashes, "legend": legend},
    }
    dot = {"type": "point", "filled": True, "size": 70, "color": charts.INK, "opacity": 1}
    spec = over_turns(
        Layer(rows, LINE, what),
        Layer(marks, dot, {"shape": {"field": "event", "type": "nominal", "legend": legend}}),
        title="0 to 100",
        scale={"domain": [0, 100]},
        width=620,
        height=260,
        ticks=10,
    )
    drawn = charts.drawn(spec, "One session of the oracle", f"case {CASE}: conviction, distress and openness by turn")
    # Alone in a file, an SVG without its namespace is a broken picture to browsers.
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


if __name__ == "__main__":
    print(picture())
