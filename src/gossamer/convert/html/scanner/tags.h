/* The elements that have a meaning here: X(name, id, flags, what a start tag of it does in a body).
 *
 * Names and sets are those of the HTML standard, section "tree construction"; BLOCK, SILENT and LEFT_OUT are those
 * of text.py, UNSEEN and SHUT those of outline.py.
 */

#ifndef GOSSAMER_SCANNER_TAGS_H
#define GOSSAMER_SCANNER_TAGS_H

#define TAGS(X)                                                                                                       \
    X("a", A, TELLS, LINK)                                                                                            \
    X("abbr", ABBR, 0, ORDINARY)                                                                                      \
    X("address", ADDRESS, BLOCK | SPECIAL, CONTAINER)                                                                 \
    X("annotation-xml", ANNOTATION_XML, POINT, ORDINARY)                                                              \
    X("applet", APPLET, SPECIAL | SCOPE, OBJECT)                                                                      \
    X("area", AREA, SPECIAL | TELLS, EMPTY)                                                                           \
    X("article", ARTICLE, BLOCK | SPECIAL, CONTAINER)                                                                 \
    X("aside", ASIDE, BLOCK | SPECIAL, CONTAINER)                                                                     \
    X("audio", AUDIO, LEFT_OUT | SHUT, ORDINARY)                                                                      \
    X("b", B, 0, FORMATTING)                                                                                          \
    X("base", BASE, SPECIAL | TELLS | UNSEEN, OF_HEAD)                                                                \
    X("basefont", BASEFONT, SPECIAL, OF_HEAD)                                                                         \
    X("bgsound", BGSOUND, SPECIAL, OF_HEAD)                                                                           \
    X("big", BIG, 0, FORMATTING)                                                                                      \
    X("blockquote", BLOCKQUOTE, BLOCK | SPECIAL, CONTAINER)                                                           \
    X("body", BODY, BLOCK | SPECIAL, IGNORED)                                                                         \
    X("br", BR, BLOCK | SPECIAL, EMPTY)                                                                               \
    X("button", BUTTON, SPECIAL, BUTTON)                                                                              \
    X("canvas", CANVAS, LEFT_OUT | SHUT, ORDINARY)                                                                    \
    X("caption", CAPTION, BLOCK | SPECIAL | SCOPE, IGNORED)                                                           \
    X("center", CENTER, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("cite", CITE, 0, ORDINARY)                                                                                      \
    X("code", CODE, 0, FORMATTING)                                                                                    \
    X("col", COL, BLOCK | SPECIAL, IGNORED)                                                                           \
    X("colgroup", COLGROUP, BLOCK | SPECIAL, IGNORED)                                                                 \
    X("dd", DD, BLOCK | SPECIAL | IMPLIED, TERM)                                                                      \
    X("del", DEL, 0, ORDINARY)                                                                                        \
    X("desc", DESC, POINT, ORDINARY)                                                                                  \
    X("details", DETAILS, BLOCK | SPECIAL, CONTAINER)                                                                 \
    X("dfn", DFN, 0, ORDINARY)                                                                                        \
    X("dialog", DIALOG, BLOCK, CONTAINER)                                                                             \
    X("dir", DIR, BLOCK | SPECIAL, CONTAINER)                                                                         \
    X("div", DIV, BLOCK | SPECIAL, CONTAINER)                                                                         \
    X("dl", DL, BLOCK | SPECIAL, CONTAINER)                                                                           \
    X("dt", DT, BLOCK | SPECIAL | IMPLIED, TERM)                                                                      \
    X("em", EM, 0, FORMATTING)                                                                                        \
    X("embed", EMBED, SPECIAL, EMPTY)                                                                                 \
    X("fieldset", FIELDSET, BLOCK | SPECIAL, CONTAINER)                                                               \
    X("figcaption", FIGCAPTION, BLOCK | SPECIAL, CONTAINER)                                                           \
    X("figure", FIGURE, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("font", FONT, 0, FORMATTING)                                                                                    \
    X("footer", FOOTER, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("foreignobject", FOREIGNOBJECT, POINT, ORDINARY)                                                                \
    X("form", FORM, BLOCK | SPECIAL, FORM)                                                                            \
    X("frame", FRAME, SPECIAL, IGNORED)                                                                               \
    X("frameset", FRAMESET, SPECIAL, ODD)                                                                             \
    X("h1", H1, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("h2", H2, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("h3", H3, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("h4", H4, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("h5", H5, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("h6", H6, BLOCK | SPECIAL | HEADING, HEADING)                                                                   \
    X("head", HEAD, SPECIAL, IGNORED)                                                                                 \
    X("header", HEADER, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("hgroup", HGROUP, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("hr", HR, BLOCK | SPECIAL, RULE)                                                                                \
    X("html", HTML, BLOCK | SPECIAL | SCOPE | TELLS, ROOT)                                                            \
    X("i", I, 0, FORMATTING)                                                                                          \
    X("iframe", IFRAME, SPECIAL | SILENT | TELLS | SHUT, RAW)                                                         \
    X("image", IMAGE, TELLS, EMPTY)                                                                                   \
    X("img", IMG, SPECIAL | TELLS, EMPTY)                                                                             \
    X("input", INPUT, SPECIAL | TELLS, EMPTY)                                                                         \
    X("ins", INS, 0, ORDINARY)                                                                                        \
    X("kbd", KBD, 0, ORDINARY)                                                                                        \
    X("keygen", KEYGEN, SPECIAL, EMPTY)                                                                               \
    X("label", LABEL, 0, ORDINARY)                                                                                    \
    X("legend", LEGEND, BLOCK, ORDINARY)                                                                              \
    X("li", LI, BLOCK | SPECIAL | IMPLIED, ITEM)                                                                      \
    X("link", LINK, SPECIAL | TELLS | UNSEEN, OF_HEAD)                                                                \
    X("listing", LISTING, SPECIAL, PREFORMATTED)                                                                      \
    X("main", MAIN, BLOCK | SPECIAL, CONTAINER)                                                                       \
    X("mark", MARK, 0, ORDINARY)                                                                                      \
    X("marquee", MARQUEE, SPECIAL | SCOPE, OBJECT)                                                                    \
    X("math", MATH, 0, DRAWING)                                                                                       \
    X("menu", MENU, BLOCK | SPECIAL, CONTAINER)                                                                       \
    X("meta", META, SPECIAL | TELLS | UNSEEN, OF_HEAD)                                                                \
    X("mi", MI, POINT, ORDINARY)                                                                                      \
    X("mn", MN, POINT, ORDINARY)                                                                                      \
    X("mo", MO, POINT, ORDINARY)                                                                                      \
    X("ms", MS, POINT, ORDINARY)                                                                                      \
    X("mtext", MTEXT, POINT, ORDINARY)                                                                                \
    X("nav", NAV, BLOCK | SPECIAL, CONTAINER)                                                                         \
    X("nobr", NOBR, 0, FORMATTING)                                                                                    \
    X("noembed", NOEMBED, SPECIAL | SILENT | UNSEEN, RAW)                                                             \
    X("noframes", NOFRAMES, SPECIAL | SILENT | UNSEEN, OF_HEAD)                                                       \
    X("noscript", NOSCRIPT, SPECIAL | SILENT | UNSEEN, RAW)                                                           \
    X("object", OBJECT, SPECIAL | SCOPE, OBJECT)                                                                      \
    X("ol", OL, BLOCK | TELLS | SPECIAL | LIST, CONTAINER)                                                            \
    X("optgroup", OPTGROUP, BLOCK | IMPLIED, CHOICE)                                                                  \
    X("option", OPTION, BLOCK | IMPLIED, CHOICE)                                                                      \
    X("p", P, BLOCK | SPECIAL | IMPLIED, CONTAINER)                                                                   \
    X("param", PARAM, SPECIAL, EMPTY)                                                                                 \
    X("picture", PICTURE, 0, ORDINARY)                                                                                \
    X("plaintext", PLAINTEXT, SPECIAL, ODD)                                                                           \
    X("pre", PRE, BLOCK | SPECIAL, PREFORMATTED)                                                                      \
    X("q", Q, 0, ORDINARY)                                                                                            \
    X("rb", RB, IMPLIED, RUBY)                                                                                        \
    X("rp", RP, IMPLIED, RUBY)                                                                                        \
    X("rt", RT, IMPLIED, RUBY)                                                                                        \
    X("rtc", RTC, IMPLIED, RUBY)                                                                                      \
    X("ruby", RUBY, 0, ORDINARY)                                                                                      \
    X("s", S, 0, FORMATTING)                                                                                          \
    X("samp", SAMP, 0, ORDINARY)                                                                                      \
    X("script", SCRIPT, SPECIAL | SILENT | UNSEEN, OF_HEAD)                                                           \
    X("search", SEARCH, BLOCK | SPECIAL, CONTAINER)                                                                   \
    X("section", SECTION, BLOCK | SPECIAL, CONTAINER)                                                                 \
    X("select", SELECT, BLOCK | SPECIAL | SCOPE, SELECT)                                                              \
    X("small", SMALL, 0, FORMATTING)                                                                                  \
    X("source", SOURCE, SPECIAL, EMPTY)                                                                               \
    X("span", SPAN, 0, ORDINARY)                                                                                      \
    X("strike", STRIKE, 0, FORMATTING)                                                                                \
    X("strong", STRONG, 0, FORMATTING)                                                                                \
    X("style", STYLE, SPECIAL | SILENT | UNSEEN, OF_HEAD)                                                             \
    X("sub", SUB, 0, ORDINARY)                                                                                        \
    X("summary", SUMMARY, BLOCK | SPECIAL, CONTAINER)                                                                 \
    X("sup", SUP, 0, ORDINARY)                                                                                        \
    X("svg", SVG, LEFT_OUT | SHUT, DRAWING)                                                                           \
    X("table", TABLE, BLOCK | SPECIAL | SCOPE, TABLE)                                                                 \
    X("tbody", TBODY, BLOCK | SPECIAL, IGNORED)                                                                       \
    X("td", TD, BLOCK | TELLS | SPECIAL | SCOPE, IGNORED)                                                             \
    X("template", TEMPLATE, SPECIAL | SCOPE | UNSEEN, OF_HEAD)                                                        \
    X("textarea", TEXTAREA, SPECIAL | SILENT | SHUT, RAW)                                                             \
    X("tfoot", TFOOT, BLOCK | SPECIAL, IGNORED)                                                                       \
    X("th", TH, BLOCK | TELLS | SPECIAL | SCOPE, IGNORED)                                                             \
    X("thead", THEAD, BLOCK | SPECIAL, IGNORED)                                                                       \
    X("time", TIME, 0, ORDINARY)                                                                                      \
    X("title", TITLE, SPECIAL | SILENT | POINT | UNSEEN, OF_HEAD)                                                     \
    X("tr", TR, BLOCK | SPECIAL, IGNORED)                                                                             \
    X("track", TRACK, SPECIAL, EMPTY)                                                                                 \
    X("tt", TT, 0, FORMATTING)                                                                                        \
    X("u", U, 0, FORMATTING)                                                                                          \
    X("ul", UL, BLOCK | SPECIAL | LIST, CONTAINER)                                                                    \
    X("var", VAR, 0, ORDINARY)                                                                                        \
    X("video", VIDEO, LEFT_OUT | SHUT, ORDINARY)                                                                      \
    X("wbr", WBR, SPECIAL, EMPTY)                                                                                     \
    X("xmp", XMP, SPECIAL, RAW)

enum tag_flags {
    BLOCK = 1 << 0,    /* begins a line of text and ends one */
    SPECIAL = 1 << 1,  /* the standard's "special" category */
    SCOPE = 1 << 2,    /* end tags do not reach over it */
    IMPLIED = 1 << 3,  /* may end without an end tag */
    HEADING = 1 << 4,
    LIST = 1 << 5,     /* end tags of items do not reach over it */
    SILENT = 1 << 6,   /* its text is not for reading */
    LEFT_OUT = 1 << 7, /* nothing in it is text of the page */
    POINT = 1 << 8,    /* within a drawing or formula, where HTML may begin again */
    TELLS = 1 << 9,    /* its attributes are of interest */
    UNSEEN = 1 << 10,  /* not in the outline, with all that is in it */
    SHUT = 1 << 11,    /* in the outline, but without inside */
};

enum action {
    DO_ORDINARY,
    DO_BUTTON,
    DO_CHOICE,
    DO_CONTAINER,
    DO_DRAWING,
    DO_EMPTY,
    DO_FORM,
    DO_FORMATTING,
    DO_HEADING,
    DO_IGNORED,
    DO_ITEM,
    DO_LINK,
    DO_OBJECT,
    DO_ODD,
    DO_OF_HEAD,
    DO_PREFORMATTED,
    DO_RAW,
    DO_ROOT,
    DO_RUBY,
    DO_RULE,
    DO_SELECT,
    DO_TABLE,
    DO_TERM,
};

enum tag {
    T_OTHER,
#define X(name, id, flags, action) T_##id,
    TAGS(X)
#undef X
    T_COUNT,
    T_NONE = T_COUNT
};

#endif
