"""Markdown as people would write it: what each feature of a page becomes, case by case, by both readers."""

from __future__ import annotations

from functools import partial

import pytest

from gossamer import markdown
from gossamer.convert.html.article import everything
from gossamer.convert.html.link_targets import link_targets
from gossamer.convert.html.page import main_content
from gossamer.convert.html.scan import by_tree, scan
from gossamer.convert.render import dressed
from gossamer.convert.render.page import tagged
from gossamer.tagged import by_splitting, plain
from gossamer.urls import resolve
from valid_tagged import check

BASE = "https://site.example/guide/"
WORDS = "<p>Words before.</p>{}<p>Words behind.</p>"
GRID = "<table><tr><th>A</th><th>B</th></tr>{}</table>"
HIGHLIGHTED = '<div class="highlight-source-shell"><pre>ls -l</pre></div>'
KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi><mn>2</mn></mrow>'
    '<annotation encoding="application/x-tex">x^2</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><span>x</span><span>2</span></span></span>'
)
WIKI_MATH = (
    '<span class="mwe-math-element"><span style="display:none"><math><semantics><mi>a</mi>'
    '<annotation encoding="application/x-tex">{\\displaystyle a+b}</annotation></semantics></math></span>'
    '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle a+b}" src="/math.svg"></span>'
)
CASES = {
    # pictures
    "picture": (WORDS.format('<img src="a.png" alt="A cat">'), "![A cat](https://site.example/guide/a.png)"),
    "pictures of a gallery": (
        "<h1>Cats</h1><ul><li><img src=a alt=Tom></li><li><a href=c><img src=b alt=Kit></a></li></ul>",
        "- ![Tom](https://site.example/guide/a)\n- [![Kit](https://site.example/guide/b)](https://site.example/guide/c)",
    ),
    "picture in a footer": ("<p>Words of it.</p><footer><img src=a alt=Badge></footer>", "Words of it."),
    "picture in a line": ("<p>See <img src=/i.svg alt=icon> here</p>", "See ![icon](https://site.example/i.svg) here"),
    "picture of another site": (
        WORDS.format('<img src="//cdn.example/x.jpg" alt=X>'),
        "![X](https://cdn.example/x.jpg)",
    ),
    "picture that is loaded late": (
        WORDS.format('<img src="data:image/gif;base64,R0" data-src="/late.jpg" alt="Late">'),
        "![Late](https://site.example/late.jpg)",
    ),
    "picture without words": (WORDS.format('<img src="a.png" alt="">'), "Words before.\n\nWords behind."),
    "picture without an address": (WORDS.format('<img alt="Gone">'), "Words before.\n\nWords behind."),
    "picture with a quote in its words": (WORDS.format('<img src=a alt="5&quot; &lt;disk&gt;">'), '![5" \\<disk>]('),
    "picture with brackets in its words": (WORDS.format('<img src=a alt="[1] map">'), "![\\[1\\] map]("),
    "picture with lines in its words": (WORDS.format('<img src=a alt="two\n lines">'), "![two lines]("),
    "picture in a figure": (
        "<p>x</p><figure><img src=a alt=Plan><figcaption>The plan of 1850.</figcaption></figure>",
        "![Plan](https://site.example/guide/a)\n\nThe plan of 1850.",
    ),
    "picture that is a link": (
        WORDS.format('<a href="/big"><img src="s.png" alt="Map"></a>'),
        "[![Map](https://site.example/guide/s.png)](https://site.example/big)",
    ),
    "picture twice": (
        WORDS.format("<img src=a alt=One> and <img src=a alt=One>"),
        "![One](https://site.example/guide/a) and\n",
    ),
    "picture in a cell": (
        GRID.format("<tr><td>1</td><td>x <img src=a alt=Y> z</td></tr>"),
        "| 1 | x ![Y](https://site.example/guide/a) z |",
    ),
    "picture in a heading": ("<p>x</p><h2>Title <img src=a alt=Logo></h2><p>y</p>", "## Title ![Logo]("),
    # code
    "code with a language": ('<pre><code class="language-python">x = 1</code></pre>', "```python\nx = 1\n```"),
    "code of lang-": ('<pre class="lang-js">x</pre>', "```js\nx\n```"),
    "code of hljs": ('<pre><code class="hljs rust">fn</code></pre>', "```rust\nfn\n```"),
    "code of prism": ('<pre class="language-yaml"><code class="language-yaml">a: 1</code></pre>', "```yaml\na: 1"),
    "code of pygments": (
        '<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>',
        "```python\nx",
    ),
    "code of a forge": (HIGHLIGHTED, "```shell\nls -l\n```"),
    "code of rouge": ('<div class="language-ruby highlighter-rouge"><pre>p 1</pre></div>', "```ruby\np 1\n```"),
    "code of brush": ('<pre class="brush: java">int a;</pre>', "```java\nint a;\n```"),
    "code of JavaScript": ('<pre><code class="language-JavaScript">a</code></pre>', "```javascript\na\n```"),
    "code of no language": ("<pre>x</pre>", "```\nx\n```"),
    "code with a style that sounds like one": ('<pre class="css-1x2y">x</pre>', "```\nx\n```"),
    "code with another class": ('<pre class="wide text">x</pre>', "```\nx\n```"),
    "code with numbers of lines": (
        '<pre><code><span class="lineno">1</span>a = 1\n<span class="lineno">2</span>b = 2</code></pre>',
        "```\na = 1\nb = 2\n```",
    ),
    "code with a column of numbers": (
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td class="code"><pre>a\nb</pre></td></tr></table>',
        "```\na\nb\n```",
    ),
    "code with a button": ("<div><button>Copy</button><pre>make</pre></div>", "```\nmake\n```"),
    "code with a button behind": (
        "<p>Run</p><pre>make</pre><button>Copy code</button><p>Then</p>",
        "```\nmake\n```\n\nThen",
    ),
    "code under the name of its language": (
        "<p>Run</p><div><div><span>JS</span><button>Copy</button></div><pre class='brush: js'>x()</pre></div>"
        "<div>C#<pre class=language-csharp>f()</pre></div>",
        "Run\n\n```js\nx()\n```\n\n```csharp\nf()\n```",
    ),
    "code under other words": (
        "<p>In JS</p><pre class=lang-js>x</pre><p>In <b>js</b></p><pre class=lang-js>y</pre><p>C</p><pre>z</pre>",
        "In JS\n\n```js\nx\n```\n\nIn **js**\n\n```js\ny\n```\n\nC\n\n```\nz\n```",
    ),
    "code with spans": (
        '<pre><code><span class="k">def</span> <span>f</span>():\n    pass</code></pre>',
        "def f():\n    pass",
    ),
    "code with fences": ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
    "code in a line": ("<p>Use <code>a*b</code>.</p>", "Use `a*b`."),
    "code with a backtick": ("<p>Use <code>a`b</code>.</p>", "Use ``a`b``."),
    "keys": ("<p>Press <kbd>Ctrl</kbd></p>", "Press `Ctrl`"),
    # tables
    "table": (GRID.format("<tr><td>1</td><td>2</td></tr>"), "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    "rows that are spanned": (
        GRID.format("<tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr>"),
        "| x | 1 |\n| x | 2 |",
    ),
    "rows that are spanned in the second column": (
        GRID.format("<tr><td>1</td><td rowspan=2>y</td></tr><tr><td>2</td></tr>"),
        "| 1 | y |\n| 2 | y |",
    ),
    "columns that are spanned": (
        "<table><tr><th colspan=2>Both</th><th>C</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>",
        "| Both |  | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
    ),
    "rows and columns that are spanned": (
        "<table><tr><td rowspan=2 colspan=2>x</td><td>1</td></tr><tr><td>2</td></tr>"
        "<tr><td>a</td><td>b</td><td>c</td></tr></table>",
        "| x |  | 1 |\n| --- | --- | --- |\n| x |  | 2 |\n| a | b | c |",
    ),
    "a span of no number": (GRID.format("<tr><td rowspan=x>1</td><td colspan=0>2</td></tr>"), "| 1 | 2 |"),
    "a span of very many": (GRID.format("<tr><td rowspan=99999>1</td><td>2</td></tr><tr><td>3</td></tr>"), "| 1 | 3 |"),
    "code in a cell": (GRID.format("<tr><td><code>ls</code></td><td>list</td></tr>"), "| `ls` | list |"),
    "a pre in a cell": (GRID.format("<tr><td><pre>ls -l</pre></td><td>list</td></tr>"), "| `ls -l` | list |"),
    "a heading in a cell": (GRID.format("<tr><td><h3>Plan</h3></td><td>9</td></tr>"), "| Plan | 9 |"),
    "a list in a cell": (GRID.format("<tr><td><ul><li>a<li>b</ul></td><td>9</td></tr>"), "| a<br>b | 9 |"),
    "a bar in a cell": (GRID.format("<tr><td>a|b</td><td>9</td></tr>"), "| a\\|b | 9 |"),
    "an empty cell": (GRID.format("<tr><td></td><td>9</td></tr>"), "|  | 9 |"),
    "a caption": ("<table><caption>Prices</caption><tr><th>A<th>B<tr><td>1<td>2</table>", "Prices\n\n| A | B |"),
    "a table for the layout": ("<table><tr><td><h2>T</h2><p>a</p></td><td>b</td></tr></table>", "## T\n\na\n\nb"),
    # formulas
    "formula": (f"<p>Let {KATEX} be.</p>", "Let $x^2$ be."),
    "formula alone": (f"<p>Thus:</p><p>{KATEX}</p>", "Thus:\n\n$$x^2$$"),
    "formula of an encyclopedia": (f"<p>Let {WIKI_MATH} be.</p>", "Let $a+b$ be."),
    "formula without TeX": ("<p>Let <math><mi>x</mi><mo>=</mo><mn>2</mn></math> be.</p>", "Let x=2 be."),
    "formula in a cell": (GRID.format(f"<tr><td>{KATEX}</td><td>9</td></tr>"), "$x^2$"),
    "formula with less than": (f"<p>If {KATEX.replace('x^2', 'a &lt; b')} then</p>", "If $a < b$ then"),
    # lists
    "numbers from another": ("<ol start=5><li>a<li>b</ol>", "5. a\n6. b"),
    "numbers from zero": ("<ol start=0><li>a<li>b</ol>", "0. a\n1. b"),
    "numbers from below zero": ("<ol start=-3><li>a</ol>", "1. a"),
    "numbers from a word": ("<ol start=x><li>a</ol>", "1. a"),
    "boxes": (
        "<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>",
        "- [x] done\n- [ ] open",
    ),
    "boxes with labels": ("<ul><li><label><input type=checkbox checked disabled> done</label></ul>", "- [x] done"),
    "boxes in paragraphs": ("<ul><li><p><input type=checkbox> open</p></ul>", "- [ ] open"),
    "a box of a form": ("<p><input type=checkbox> I agree</p>", "I agree"),
    "a field in an item": ("<ul><li><input type=text> name</ul>", "- name"),
    "lists in lists": ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
    "numbers in bullets": ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n  3. b"),
    "terms": ("<dl><dt>Key<dd>Opens.</dl>", "- **Key**\n\n  Opens."),
    "two lists in a row": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
    # in a line
    "struck out": ("<p>Was <del>10</del> 8</p>", "Was ~~10~~ 8"),
    "struck out as s": ("<p>Was <s>10</s> 8</p>", "Was ~~10~~ 8"),
    "struck out as strike": ("<p>Was <strike>10</strike> 8</p>", "Was ~~10~~ 8"),
    "struck out and bold": ("<p><b>Was <del>10</del> 8</b></p>", "**Was ~~10~~ 8**"),
    "inserted": ("<p>Now <ins>8</ins></p>", "Now 8"),
    "tildes": ("<p>a ~~b~~ c</p>", "a \\~\\~b\\~\\~ c"),
    "bold": ("<p>a <b>b</b> c</p>", "a **b** c"),
    "italic": ("<p>a <i>b</i> c</p>", "a *b* c"),
    "bold and italic": ("<p><b><i>b</i></b></p>", "***b***"),
    "emphasis with spaces": ("<p>a<b> b </b>c</p>", "a **b** c"),
    "above the line": ("<p>m<sup>2</sup></p>", "m<sup>2</sup>"),
    "below the line": ("<p>H<sub>2</sub>O</p>", "H<sub>2</sub>O"),
    "link": ('<p><a href="/x">x</a></p>', "[x](https://site.example/x)"),
    "link with brackets": ('<p><a href="/x">a [b]</a></p>', "[a \\[b\\]](https://site.example/x)"),
    "link with parentheses": ('<p><a href="/x_(y)">z</a></p>', "[z](https://site.example/x_\\(y\\))"),
    "link to a place": ('<p><a href="/x#y">z</a></p>', "[z](https://site.example/x#y)"),
    "line end": ("<p>a<br>b</p>", "a\\\nb"),
    "two line ends": ("<p>a<br><br>b</p>", "a\n\nb"),
    "a star": ("<p>2*3*4</p>", "2\\*3\\*4"),
    "a name with underscores": ("<p>snake_case_name</p>", "snake_case_name"),
    "a reference": ("<p>&amp;copy;</p>", "\\&copy;"),
    "a tag as text": ("<p>&lt;div&gt;</p>", "\\<div>"),
    # blocks
    "heading": ("<h2>A</h2><p>x</p>", "## A\n\nx"),
    "heading with emphasis": ("<h3>A <em>b</em></h3>", "### A *b*"),
    "heading that is a link": ('<h2><a href="/a">A</a></h2>', "## [A](https://site.example/a)"),
    "quote": ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
    "quote with a list": ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
    "a number at the beginning": ("<p>1986. A great year.</p>", "1986\\. A great year."),
    "a dash at the beginning": ("<p>- no list</p>", "\\- no list"),
    "a sharp at the beginning": ("<p># no heading</p>", "\\# no heading"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_feature_is_written_as_people_would(name: str) -> None:
    page, expected = CASES[name]
    found = scan(page.encode(), "UTF-8")
    main = main_content(found, link_targets(found.links, BASE, "UTF-8"), BASE, everything)
    assert main is not None
    check(main.html)
    written = markdown.written(main.html)
    assert expected in written, written
    assert plain(main.html) == by_splitting(main.html) == main.content
    assert by_arrays(page) == main.html


def by_arrays(page: str) -> str:
    """The same by way of a tree, and written without the compiled twin."""
    found = by_tree(page.encode())
    assert found.outline is not None
    urls = resolve([pointer[0] for pointer in found.links.made], BASE)
    places = found.outline.points.tolist()
    fragments = [f"#{pointer[0].partition('#')[2]}" if "#" in pointer[0] else "" for pointer in found.links.made]
    hrefs = {
        place: f"{url}{fragment}"
        for place, url, fragment in zip(places, urls, fragments, strict=True)
        if url is not None
    }
    return tagged(*dressed(found.outline, everything(found.outline).keep, hrefs, partial(resolve, base=BASE)))
