/*
 * Keeps an open page current. The page is complete without this script: it only replaces what has
 * changed, and everything it writes was made by the server.
 *
 * The server sends parts of the page as they change (event "part"), or says that too much has
 * changed (event "reload"); then the page is fetched anew. Either way morph() changes only what
 * differs, so that focus and scroll position stay. A row under the pointer or with the focus is
 * left alone until it is left.
 */
"use strict";

(() => {
  const AGAIN = 5000; // after a refusal, milliseconds
  const ANNOUNCEMENTS = 10000; // at most one in this time
  const live = document.getElementById("live");
  if (!live) return;

  let stream = null;
  let version = live.dataset.version;
  let isBehind = false; // a row was left alone
  let isFetching = false;

  /* ---- changing the page ---- */

  const isHeld = (node) => node.nodeName === "TR" && node.matches(":hover, :focus-within");

  function morphAttributes(from, to) {
    for (const name of from.getAttributeNames()) {
      if (!to.hasAttribute(name)) from.removeAttribute(name);
    }
    for (const { name, value } of [...to.attributes]) {
      if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
  }

  /* A node that has the focus is not moved: what stands before it goes, and comes back behind. */
  function bringTo(parent, node, place) {
    if (node === place) return;
    if (!node.contains(document.activeElement)) {
      parent.insertBefore(node, place);
      return;
    }
    while (place && place !== node) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  function morphChildren(from, to) {
    const known = new Map();
    for (const child of from.children) if (child.id) known.set(child.id, child);
    let place = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      let child = wanted.id ? known.get(wanted.id) : place;
      if (!child || child.nodeName !== wanted.nodeName || (child.id || "") !== (wanted.id || "")) {
        from.insertBefore(wanted, place);
        continue;
      }
      bringTo(from, child, place);
      place = child.nextSibling;
      morph(child, wanted);
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  /* Makes an element look like another one of the same name. */
  function morph(from, to) {
    if (from.isEqualNode(to)) return;
    if (from.nodeType !== Node.ELEMENT_NODE) {
      from.data = to.data;
    } else if (isHeld(from)) {
      isBehind = true;
    } else {
      morphAttributes(from, to);
      morphChildren(from, to);
    }
  }

  function showPart(part) {
    const now = document.getElementById(part.id);
    const template = document.createElement("template");
    template.innerHTML = part.html;
    if (now && template.content.firstElementChild) morph(now, template.content.firstElementChild);
    else fetchPage();
  }

  async function fetchPage() {
    if (isFetching) return;
    isFetching = true;
    try {
      const answer = await fetch(live.dataset.page, { headers: { Accept: "text/html" } });
      if (answer.status === 401 || answer.status === 403 || answer.redirected) location.reload();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (!fresh) return;
      isBehind = false;
      const before = document.title;
      for (const id of ["title", "banner", "main"]) {
        const to = page.getElementById(id);
        if (to) morph(document.getElementById(id), document.importNode(to, true));
      }
      version = fresh.dataset.version;
      announce(before);
    } catch {
      // The stream says that the server is away, and asks for the page again.
    } finally {
      isFetching = false;
    }
  }

  /* What was left alone is shown as soon as nothing holds it. */
  function catchUp() {
    setTimeout(() => { if (isBehind) fetchPage(); }, 0);
  }
  document.addEventListener("pointerout", catchUp);
  document.addEventListener("focusout", catchUp);

  /* ---- saying what has changed ---- */

  let announced = 0;
  const count = (title) => {
    const found = title.match(/^([\d,]+) (\w+)/);
    return found ? { number: Number(found[1].replaceAll(",", "")), state: found[2] }
                 : { number: 0, state: "" };
  };

  function announce(before) {
    const old = count(before), now = count(document.title);
    const state = now.state || old.state;
    const more = now.number - (old.state === state ? old.number : 0);
    if (!state || !more || Date.now() - announced < ANNOUNCEMENTS) return;
    announced = Date.now();
    document.getElementById("news").textContent =
      `${Math.abs(more)} ${more > 0 ? "more" : "fewer"} ${state}`;
  }

  /* ---- the stream ---- */

  /* While the stream is open the page is as of now. */
  function say(isLive) {
    document.getElementById("as-of").hidden = isLive;
    document.getElementById("liveness").textContent = isLive ? "Live." : "Not connected, trying again.";
  }

  function open() {
    if (stream || document.hidden) return;
    const page = encodeURIComponent(live.dataset.page);
    stream = new EventSource(`/live?page=${page}&version=${version}`);
    stream.addEventListener("open", () => say(true));
    stream.addEventListener("part", (event) => {
      const before = document.title, first = JSON.parse(event.data);
      for (const part of [first, ...(first.more || [])]) showPart(part);
      version = event.lastEventId;
      announce(before);
    });
    stream.addEventListener("reload", fetchPage);
    stream.addEventListener("error", () => {
      say(false);
      if (stream && stream.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, AGAIN);
      }
    });
  }

  function close() {
    if (stream) stream.close();
    stream = null;
  }

  /* Browsers allow few connections to one server: a hidden tab gives its own back. */
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);

  /* ---- ages ---- */

  function age(seconds) {
    if (seconds >= 48 * 3600) return `${Math.floor(seconds / 86400)} d`;
    if (seconds >= 2 * 3600) return `${Math.floor(seconds / 3600)} h`;
    if (seconds >= 120) return `${Math.floor(seconds / 60)} min`;
    return `${Math.max(0, Math.floor(seconds))} s`;
  }

  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll("main time, footer time")) {
      const text = age((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  }, 1000);

  /* ---- the key "/" finds, unless it is turned off ---- */

  function addShortcut() {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.id = "slash";
    try { box.checked = localStorage.getItem("corset-slash") !== "off"; } catch { box.checked = true; }
    box.addEventListener("change", () => {
      try { localStorage.setItem("corset-slash", box.checked ? "on" : "off"); } catch { /* not kept */ }
    });
    label.append(box, " the key / goes to the search");
    document.querySelector("footer").append(label);
    document.addEventListener("keydown", (event) => {
      const inField = event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || !box.checked || inField || event.ctrlKey || event.metaKey || event.altKey)
        return;
      event.preventDefault();
      document.getElementById("q").focus();
    });
  }

  addShortcut();
  open();
})();
