"""What is run within a page: the scripts that wait, look for more, and wake what sleeps behind events.

`PRELUDE` runs before the scripts of the page. Those can undo all of it: then less is found, and nothing else follows,
for what a page may reach is not decided here.
"""

from __future__ import annotations

PRELUDE = """(() => {
  const state = {changed: performance.now(), timers: 0, opened: [], heard: [], roots: []};
  Object.defineProperty(window, '__gossamer', {value: state});
  const later = window.setTimeout.bind(window);
  const began = performance.now();
  window.setTimeout = (what, after, ...rest) => {
    const counts = performance.now() - began < 1000 && after > 0 && after <= 4000;
    if (!counts || typeof what !== 'function') return later(what, after, ...rest);
    state.timers++;
    return later(() => { state.timers--; what(...rest); }, after);
  };
  const changes = new MutationObserver(() => { state.changed = performance.now(); });
  const all = {childList: true, subtree: true, characterData: true};
  changes.observe(document, all);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...how) {
    const root = attach.apply(this, how);
    if (state.roots.length < 5000) state.roots.push(root);
    changes.observe(root, all);
    return root;
  };
  window.alert = () => {};
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => {};
  const note = address => {
    if (!address || state.opened.length >= 500) return;
    try { state.opened.push(new URL(address, document.baseURI).href); } catch {}
  };
  window.open = address => { note(address); return null; };
  for (const name of ['pushState', 'replaceState']) {
    const change = history[name].bind(history);
    let left = 100;
    history[name] = (what, title, address) => { note(address); if (left-- > 0) change(what, title, address); };
  }
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker']) {
    try { delete window[name]; } catch {}
  }
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (kind, ...rest) {
    if (this instanceof Element && /^(click|mouse(over|enter|down|up)|pointer)/.test(kind)) {
      if (state.heard.length < 500) state.heard.push(this);
    }
    return add.call(this, kind, ...rest);
  };
})()"""

QUIET = """() => {
  const state = window.__gossamer;
  return document.readyState === 'complete' && state.timers <= 0 && performance.now() - state.changed > 300;
}"""
"""Has nothing happened for a moment, and is nothing about to?"""

SCROLL = """() => {
  const before = document.documentElement.scrollHeight;
  window.scrollTo(0, before);
  return before;
}"""

MORE = r"""() => {
  const english = /^\W*((load|show|see|view|read) (\w+ ){0,2}more|more( \w+)?)\W*$/i;
  const other = /^\W*(mehr (anzeigen|laden)|voir plus|ver m[aá]s|mostrar m[aá]s|carica altro|もっと見る|加载更多)\W*$/i;
  for (const each of document.querySelectorAll('button, [role=button], a[href="#"], a:not([href])')) {
    const text = (each.innerText || '').trim();
    const offers = text.length < 40 && (english.test(text) || other.test(text));
    if (offers && !each.closest('form') && !each.disabled && each.offsetParent) {
      each.click();
      return true;
    }
  }
  return false;
}"""
"""Ask for more, where a page offers it. What is clicked is no link and stands in no form."""

CONTENT = r"""most => {
  const kind = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  const whole = document.documentElement;
  const roots = new Map(), on_the_way = new Set(), inert = document.implementation.createHTMLDocument('');
  const gather = root => {
    if (roots.has(root.host)) return;
    roots.set(root.host, root);
    look(root);
  };
  const look = scope => {
    for (const each of scope.querySelectorAll('*')) if (each.shadowRoot) gather(each.shadowRoot);
  };
  const mark = node => {
    for (; node && !on_the_way.has(node); node = node.parentNode || node.host) on_the_way.add(node);
  };
  let html = '';
  const write = node => {
    if (html.length > most) return;
    if (node.nodeType === Node.TEXT_NODE) {
      html += node.data.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    } else if (!on_the_way.has(node)) {
      html += node.outerHTML || '';
    } else if (node.localName === 'slot' && node.getRootNode() !== document) {
      const given = node.assignedNodes({flatten: true});
      for (const each of given.length ? given : node.childNodes) write(each);
    } else {
      const end = `</${node.localName}>`, shell = inert.importNode(node, false).outerHTML;
      html += shell.slice(0, -end.length);
      for (const each of (roots.get(node) || node).childNodes) write(each);
      html += end;
    }
  };
  try {
    look(document);
    window.__gossamer.roots.forEach(gather);
    for (const [host, root] of roots) [host, ...root.querySelectorAll('slot')].forEach(mark);
    write(whole);
  } catch {
    html = whole.outerHTML;
  }
  return (kind + html).slice(0, most);
}"""
"""The document as it is now. What stands in a shadow root stands in its element, and in each slot what is shown there:
a reader of HTML knows nothing of either. Without any it is what the browser writes."""

LINKS = """opened => {
  const found = opened ? [...window.__gossamer.opened] : [];
  for (const each of document.querySelectorAll('a[href], area[href], iframe[src], frame[src]')) {
    if (found.length >= 5000) break;
    found.push(each.href && each.href.baseVal === undefined ? each.href : each.src);
  }
  return found.filter(address => typeof address === 'string' && /^https?:/.test(address));
}"""

WAKE = """() => {
  const stop = event => { event.preventDefault(); event.stopImmediatePropagation(); };
  window.addEventListener('submit', stop, true);
  HTMLFormElement.prototype.submit = () => {};
  HTMLFormElement.prototype.requestSubmit = () => {};
  const kinds = ['click', 'mouseover', 'mouseenter', 'mousedown', 'mouseup', 'change'];
  const handled = kinds.map(kind => `[on${kind}]`).join(',');
  const all = new Set([...document.querySelectorAll(`${handled}, a[href^="javascript:"], button, input[type=button]`),
                       ...window.__gossamer.heard]);
  const until = performance.now() + 1000;
  let left = 200;
  for (const each of all) {
    if (left-- <= 0 || performance.now() > until) break;
    if (!each.isConnected) continue;
    if (/^(a|area)$/i.test(each.tagName) && /^javascript:/i.test(each.getAttribute('href') || '')) {
      try { (0, eval)(decodeURI(each.getAttribute('href').slice(11))); } catch {}
      continue;
    }
    const choices = each.tagName === 'SELECT' ? Math.min(each.options.length, 20) : 1;
    for (let choice = 0; choice < choices; choice++) {
      if (each.tagName === 'SELECT') each.selectedIndex = choice;
      for (const kind of kinds) {
        try {
          const Kind = kind === 'change' ? Event : MouseEvent;
          each.dispatchEvent(new Kind(kind, {bubbles: true, cancelable: true}));
        } catch {}
      }
      window.__gossamer.opened.push(...[...document.querySelectorAll('iframe[src]')].map(frame => frame.src));
    }
  }
}"""
"""Do what a reader could do with a mouse. By then nothing can be asked for: only addresses come to light."""
