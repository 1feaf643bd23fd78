"""Scripts that want to keep a browser for ever, to fill it up, or to reach what they must not; and ways to run each."""

from __future__ import annotations

AIMS = "['http://127.0.0.2:PORT/', 'http://[::1]:PORT/', 'http://localhost:PORT/', '/hop', 'http://0x7f000002:PORT/']"
"""A stranger on this machine whom no page may reach, by several names."""

SCRIPTS = {
    "loop": "for (;;) {}",
    "promises": "const again = () => Promise.resolve().then(again); again()",
    "timers": "const more = () => { setTimeout(more, 0); setTimeout(more, 0) }; more()",
    "frames": "const draw = () => { for (let i = 0; i < 1e6; i++); requestAnimationFrame(draw) }; draw()",
    "dialogs": "for (;;) { alert('a'); confirm('b'); prompt('c'); print() }",
    "history": "setInterval(() => { for (let i = 0; i < 500; i++) history.pushState(1, '', '/h' + Math.random()) }, 1)",
    "windows": "for (let i = 0; i < 500; i++) open('/w' + i)",
    "reload": "location.reload()",
    "elsewhere": "setInterval(() => { location = '/e' + Math.random() }, 1)",
    "numbers": "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))",
    "text": "let text = 'x'; for (;;) text += text + Math.random()",
    "buffers": "const all = []; for (;;) all.push(new Uint8Array(5e7).fill(1))",
    "elements": "for (;;) document.body.append(document.createElement('p'))",
    "nested": (
        "let at = document.body; for (let i = 0; i < 1e5; i++) at = at.appendChild(document.createElement('div'))"
    ),
    "changes": "setInterval(() => { document.body.append(new Date() + '') }, 1)",
    "roots": (
        "let at = document.body; for (let i = 0; i < 1e5; i++) {"
        " at = at.appendChild(document.createElement('div')).attachShadow({mode: 'open'}) }"
    ),
    "pattern": "/^(a+)+$/.test('a'.repeat(60) + 'b')",
    "workers": "for (let i = 0; i < 200; i++) new Worker(URL.createObjectURL(new Blob(['for (;;) {}'])))",
    "requests": "for (let i = 0; i < 5000; i++) fetch('/r' + i).catch(() => {})",
    "tampered": (
        "document.querySelectorAll = () => { for (;;) {} };"
        "Object.defineProperty(Element.prototype, 'outerHTML', {get() { throw new Error() }});"
        "Array.prototype.push = () => { throw new Error() }; window.__gossamer.opened = null"
    ),
    "written": (
        "for (;;) document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc=\"<script>parent.x=1</script>\">')"
    ),
    "asks": f"for (const to of {AIMS}) {{ fetch(to).catch(() => {{}}); navigator.sendBeacon(to, 'x') }}",
    "embeds": (
        f"for (const to of {AIMS}) for (const [name, key] of [['iframe', 'src'], ['script', 'src'], ['img', 'src'],"
        " ['object', 'data'], ['embed', 'src'], ['video', 'src']]) {"
        " const each = document.createElement(name); each[key] = to; document.body.append(each) }"
    ),
    "connects": (
        f"for (const to of {AIMS}) {{ try {{ new WebSocket(to.replace('http', 'ws')) }} catch {{}}"
        " try { new EventSource(to) } catch {}"
        " new Worker(URL.createObjectURL(new Blob([`fetch('${to}'); importScripts('${to}')`]))) }"
    ),
    "leaves": (
        f"for (const to of {AIMS}) {{ open(to); const form = document.createElement('form'); form.action = to;"
        " form.method = 'post'; document.body.append(form); form.submit() }"
        " location = 'http://127.0.0.2:PORT/'"
    ),
}
WAYS = {
    "now": "SCRIPT",
    "late": "setTimeout(() => { SCRIPT }, 50)",
    "loaded": "addEventListener('load', () => { SCRIPT })",
    "promised": "Promise.resolve().then(() => { SCRIPT })",
    "made": "const each = document.createElement('script'); each.text = CODE; document.body.append(each)",
    "framed": "const it = document.createElement('iframe'); it.srcdoc = `<body>` + TAGGED; document.body.append(it)",
    "scrolled": "document.body.style.height = '9000px'; addEventListener('scroll', () => { SCRIPT }, {once: true})",
    "clicked": "document.querySelector('p').addEventListener('click', () => { SCRIPT })",
}


def hostile_pages(port: str) -> dict[str, str]:
    """By name: each script in each way. The page says its name."""
    return {
        f"{name}-{way}": f"<body><p>{name}-{way}</p><script>{_written(script.replace('PORT', port), how)}</script>"
        for name, script in SCRIPTS.items()
        for way, how in WAYS.items()
    }


def _written(script: str, how: str) -> str:
    code = script.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${").replace("</", "<\\/")
    tagged = f"`<script>{code}<\\/script>`"
    return how.replace("SCRIPT", script.replace("</", "<\\/")).replace("CODE", f"`{code}`").replace("TAGGED", tagged)
