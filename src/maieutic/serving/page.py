"""The page that shows the routes: one HTML text without any external request."""

from __future__ import annotations

from html import escape
from typing import Any

from maieutic.safety.handover import DISCLAIMER

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 "
    "1rem;color:#1b1f24;background:#fff}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{background:#f3f4f6;padding:.8rem;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d0d7de}"  # noqa: E501
    ".notice{border-left:4px solid #9a6700;padding:.4rem .8rem;background:#fff8e5}"
)
_EXAMPLE = """curl -s http://HOST:PORT/v1/chat/completions -H 'Content-Type: application/json' -d '{
  "model": "maieutic/socratic",
  "messages": [{"role": "user", "content": "I froze in the meeting again."}],
  "seed": 7
}'"""
_ERRORS = (
    (400, "no JSON, or something that this server does not do (tools, images, n > 1, too many turns)"),
    (401, "no key, or a wrong one"),
    (403, "a therapist that sees the patient's mind, or an explanation where they are off"),
    (404, "no such model; the nearest name is given"),
    (409, "a history that the model cannot have said, under --strict"),
    (413, "a body that is too large"),
    (422, "JSON that is no chat request; the field is named"),
    (429, "too many requests at once; come again after Retry-After seconds"),
)


def docs_page(openapi: dict[str, Any], models: int) -> str:
    """The page for an OpenAPI description."""
    routes = "".join(
        f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(about.get('description', ''))}</td></tr>"
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
    )
    errors = "".join(f"<tr><td>{status}</td><td>{escape(text)}</td></tr>" for status, text in _ERRORS)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>maieutic: API</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head><body><main>'
        f'<h1>maieutic {escape(openapi["info"]["version"])}</h1><p class="notice">{escape(DISCLAIMER)}</p>'
        f'<p>{models} models: <a href="/v1/models">/v1/models</a> (all), '
        f'<a href="/openapi.json">/openapi.json</a> (for programs).</p>'
        "<h2>Routes</h2><table><thead><tr><th>route</th><th>what it "
        f"does</th></tr></thead><tbody>{routes}</tbody></table>"
        f"<h2>An example</h2><pre>{escape(_EXAMPLE)}</pre>"
        f"<h2>Errors</h2><table><thead><tr><th>status</th><th>when</th></tr></thead><tbody>{errors}</tbody></table>"
        "</main></body></html>"
    )
