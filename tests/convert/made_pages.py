"""Pages of all kinds, with what is around the content of a page: navigation, a cookie notice, a footer."""

from __future__ import annotations


def links(names: str) -> str:
    return "<ul>" + "".join(f"<li><a href=/{name}>{name.title()}</a></li>" for name in names.split()) + "</ul>"


NAVIGATION = f"""<header class=site-header><a href=/ class=logo>The Daily Example</a>
<nav class=main-nav>{links("home world sport culture science opinion")}</nav></header>"""
NOTICE = """<div id=cookie-banner class=cookie-consent><p>We use cookies to give you the best experience on our website.
By clicking accept you agree to our use of cookies.</p><button>Accept all</button></div>"""
FOOTER = f"""<footer class=site-footer>{links("imprint privacy terms careers advertise")}
<p>Copyright 2024 The Daily Example. All rights reserved.</p></footer>"""
SENTENCES = (
    "The council voted on Tuesday to repair the old bridge, which has been closed since the flood in spring.",
    "Engineers had warned for years that its pillars were worn, but nobody wanted to pay for the work.",
    "The mayor said that the money would come from the state, and that building would begin in autumn.",
    "Shopkeepers on both sides of the river had complained that customers stayed away, some by more than half.",
    "A ferry that was meant to help carries no more than twenty people, and it does not run when the wind is strong.",
    "If everything goes well, the first cars will cross the river again before the end of next year.",
)


def page(main: str) -> bytes:
    head = "<!doctype html><html lang=en><head><title>Example</title></head>"
    return f"{head}<body>{NAVIGATION}{main}{NOTICE}{FOOTER}</body>".encode()


def article() -> bytes:
    paragraphs = "".join(f"<p>{sentence} {SENTENCES[(at + 2) % 6]}</p>" for at, sentence in enumerate(SENTENCES))
    related = "".join(f"<li><a href=/n{n}>Another story that you may like, number {n}</a></li>" for n in range(6))
    return page(
        f"""<main><article class=article><h1>Bridge to open again</h1><div class=article-body>{paragraphs}</div>
        </article><aside class=related-articles><h3>Related articles</h3><ul>{related}</ul></aside>
        <section id=comments class=comments><h3>2 comments</h3><div class=comment><p>First! About time they did it.</p>
        </div><div class=comment><p>I do not believe a word of this.</p></div></section></main>"""
    )


def thread() -> bytes:
    posts = "".join(
        f"""<div class=post id=post-{at}><div class=post-author><a href=/u{at}>user{at}</a></div>
        <div class=post-body><p>{SENTENCES[at % 6]} {SENTENCES[(at + 1) % 6]}</p></div></div>"""
        for at in range(8)
    )
    return page(f"<div class='forum-thread topic'><h1>When will the bridge open?</h1>{posts}</div>")


def product() -> bytes:
    return page(
        """<div class=product-page itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Garden chair</h1>
        <div class=product-description itemprop=description><p>This chair is made of oak and lasts a lifetime, even
        when it stays in the rain all winter. The seat is wide, the back is high, and two of them fit on a small
        balcony.</p><p>It comes in one piece, with a cover of linen that can be washed.</p></div>
        <table><tr><th>Weight<td>2 kg<tr><th>Colour<td>green</table></div>"""
    )


def listing() -> bytes:
    items = "".join(
        f"""<div class=result-item><h3><a href=/r{at}>Report number {at} on the state of the bridge</a></h3>
        <p class=summary>{SENTENCES[at % 6]}</p></div>"""
        for at in range(10)
    )
    return page(f"<div class='search-results listing'><h1>All reports</h1>{items}</div>")


def documentation() -> bytes:
    return page(
        """<div class=document role=main><h1>Reading files</h1><p>To read a file, open it first and close it when you
        are done. The function takes the name of the file and gives back an object, which is described below.</p>
        <pre><code>file = open('name')\nprint(file.read())</code></pre><h2>Parameters</h2>
        <table><tr><th>name<td>the name of the file, as a string<tr><th>mode<td>how the file is opened, for reading or
        for writing</table><p>If there is no such file, an error is raised that says so, and which file was meant.</p>
        </div>"""
    )
