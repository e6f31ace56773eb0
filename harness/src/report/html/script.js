"use strict";
// Draws packed swimlanes when asked for, filters the list of cases, shows a change where the pointer is.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const put = (node, attributes, ...inside) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...inside);
    return node;
  };
  const html = (name, attributes, ...inside) => put(document.createElement(name), attributes, ...inside);
  const svg = (name, attributes, ...inside) => put(document.createElementNS(SVG, name), attributes, ...inside);

  const packs = new Map();
  const unpack = (number) => {
    if (!packs.has(number)) {
      const text = document.getElementById("pack" + number).textContent;
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      packs.set(number, new Response(stream).json());
    }
    return packs.get(number);
  };

  const outline = (kind, x, y) => {
    if (kind === "write") return `M${x - 4} ${y + 4}h8l-4 -8z`;
    if (kind === "cross" || kind === "gone") return `M${x - 4} ${y - 4}l8 8M${x - 4} ${y + 4}l8 -8`;
    const r = kind === "step" ? 5 : 3;
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0`;
  };
  const name = (change) => `${change[0]} rev ${change[1]}: ${change[2]}`;
  const words = (change) =>
    [name(change), change[3] && "written by " + change[3], change[4]].filter(Boolean).join("\n");
  // Numbers stand in one row, so many for each; some are told from the one before.
  const rows = (list, length) => Array.from({ length: list.length / length }, (_, row) => list.slice(row * length, row * length + length));
  const sums = (list) => {
    let sum = 0;
    return list.map((step) => (sum += step));
  };
  const down = (list, length) => {
    let y = 0;
    return rows(list, length).map(([x, step, ...rest]) => [x, (y += step), ...rest]);
  };
  // Time, revision, what, who, lines.
  const changesOf = ([times, revisions, what, by, lines]) => {
    const [at, revision] = [sums(times), sums(revisions)];
    return what.map((words, number) => [(at[number] / 1000).toFixed(3) + " s", revision[number], words, by[number], lines[number]]);
  };
  const linked = (node, number, changes, prefix) => {
    if (number < 0) return node;
    const change = changes[number];
    return svg("a", { href: `#${prefix}-${number}`, "aria-label": name(change) }, svg("title", {}, words(change)), node);
  };
  const view = ([title, height, alt, bars, lines, texts, signs], kinds, changes, prefix) => {
    const line = ([x1, y1, x2, y2, kind]) => svg("line", { x1, y1, x2, y2, class: kinds[kind] });
    const isMark = (line) => kinds[line[4]] === "mark";
    const all = rows(lines, 5);
    return html("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
      svg("svg", { viewBox: `0 0 1040 ${height}`, role: "group", "aria-label": alt, class: "lanes" },
        ...all.filter((one) => !isMark(one)).map(line),
        ...down(bars, 6).map(([x, y, width, height, kind, number]) =>
          linked(svg("rect", { x, y, width, height, class: kinds[kind] }), number, changes, prefix)),
        ...down(texts, 4).map(([x, y, kind, text]) => svg("text", { x, y, class: kinds[kind] }, text)),
        ...down(signs, 4).map(([x, y, kind, number]) =>
          linked(svg("path", { d: outline(kinds[kind], x, y), class: kinds[kind] }), number, changes, prefix)),
        ...all.filter(isMark).map(line)));
  };
  const table = (changes, marked, prefix) => {
    const told = changes.map((change, number) => {
      const broken = marked.includes(number);
      const cell = html("td", {}, ...(broken ? [html("strong", {}, "✖ broken here: ")] : []), change[2]);
      if (change[3]) cell.append(html("span", { class: "by" }, " by " + change[3]));
      if (change[4]) cell.append(html("pre", {}, change[4]));
      return html("tr", { id: `${prefix}-${number}`, ...(broken ? { class: "breach" } : {}) },
        html("td", {}, change[0]), html("td", {}, String(change[1])), cell);
    });
    const head = ["time", "revision", "change"].map((text) => html("th", { scope: "col" }, text));
    return html("table", { class: "changes" }, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...told));
  };
  const figure = (lanes, prefix) => {
    const figure = html("figure", { class: "swimlane" });
    const changes = changesOf(lanes.c);
    lanes.p.forEach((picture, number) => {
      const drawn = view(picture, lanes.k, changes, prefix);
      if (number === 0) figure.append(html("figcaption", {}, picture[0]), drawn);
      else figure.append(html("details", {}, html("summary", {}, picture[0]), drawn));
    });
    for (const missing of lanes.m) figure.append(html("p", { class: "note" }, "Missing: " + missing));
    const [all, first] = lanes.n;
    const told = html("details", {}, html("summary", {}, `${all} changes in words`), table(changes, lanes.b, prefix));
    if (changes.length < all) {
      told.append(html("p", { class: "note" },
        `These are changes ${first + 1} to ${first + changes.length} of ${all}; the timeline has all of them.`));
    }
    figure.append(told);
    return figure;
  };

  // Where a picture is wider than the screen, the breach comes first, and the names of the lanes stay in sight.
  const fit = (box) => {
    const [drawing, mark] = [box.firstElementChild, box.querySelector(".mark")];
    const wide = drawing.clientWidth;
    if (wide <= box.clientWidth) return;
    const names = [...drawing.querySelectorAll(".name, .sub")];
    names.forEach((name) => { name.classList.add("over"); name.setAttribute("paint-order", "stroke"); });
    drawing.append(...names);
    const follow = () => names.forEach((name) => name.setAttribute("transform", `translate(${(box.scrollLeft / wide) * 1040} 0)`));
    box.addEventListener("scroll", follow, { passive: true });
    if (mark) box.scrollLeft = (mark.getAttribute("x1") / 1040) * wide - box.clientWidth / 2;
    follow();
  };
  // A change is shown below its picture: where the pointer is, or where it was clicked last.
  const attend = (figure) => {
    const panel = html("div", { class: "panel", role: "status" }, "Point at, tap or step to anything in the picture to see what changed.");
    figure.querySelector(".scroll").after(panel);
    figure.querySelectorAll(".scroll").forEach((box) => {
      fit(box);
      box.closest("details")?.addEventListener("toggle", () => fit(box), { once: true });
    });
    let pinned = null;
    const link = (event) => event.target.closest?.(".lanes a");
    const show = (link) => {
      if (link) panel.textContent = link.querySelector("title").textContent;
    };
    figure.addEventListener("pointerover", (event) => show(link(event)));
    figure.addEventListener("pointerout", () => show(pinned));
    figure.addEventListener("focusin", (event) => show(link(event)));
    figure.addEventListener("click", (event) => {
      const chosen = link(event);
      if (!chosen) return;
      event.preventDefault();
      pinned?.classList.remove("on");
      pinned = chosen;
      pinned.classList.add("on");
      show(pinned);
    });
    figure.addEventListener("keydown", (event) => {
      const here = link(event);
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!here || !step) return;
      const all = [...here.closest("svg").querySelectorAll("a")];
      all[all.indexOf(here) + step]?.focus();
      event.preventDefault();
    });
  };
  document.querySelectorAll("figure.swimlane").forEach(attend);

  let drawn = 0;
  const open = async (button, place) => {
    if (button.getAttribute("aria-expanded") === "true") {
      button.setAttribute("aria-expanded", "false");
      button.shown.hidden = true;
      return;
    }
    button.setAttribute("aria-expanded", "true");
    if (!button.shown) {
      const row = button.closest("tr");
      const home = html(row ? "td" : "div", row ? { colspan: "9" } : {}, "…");
      button.shown = row ? html("tr", {}, home) : home;
      (row ?? button).after(button.shown);
      try {
        const [pack, number] = place.split("/").map(Number);
        const box = figure((await unpack(pack))[number], "d" + drawn++);
        home.replaceChildren(box);
        attend(box);
      } catch (error) {
        home.replaceChildren("The swimlane cannot be drawn: " + error);
      }
    }
    button.shown.hidden = false;
  };
  document.querySelectorAll("[data-lane]").forEach((home) => {
    const button = html("button", { type: "button", "aria-expanded": "false" }, "swimlane");
    button.addEventListener("click", () => open(button, home.dataset.lane));
    home.querySelector(".noscript")?.remove();
    home.prepend(button, " ");
  });

  const filter = document.getElementById("filter");
  if (document.querySelector(".cases") && filter) {
    const input = html("input", { type: "search", id: "find", autocomplete: "off" });
    const told = html("span", { class: "note", role: "status" });
    filter.append(html("label", { for: "find" }, "Show cases with all of these words: of a name, a cell, a verdict"), input, " ", told);
    const suites = [...document.querySelectorAll("#cases > details")];
    const apply = () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const suite of suites) {
        let here = 0;
        for (const row of suite.querySelectorAll("tr[id^=c]")) {
          const text = row.textContent.toLowerCase();
          const suite = row.cells[1].textContent.trim().toLowerCase();
          row.hidden = !wanted.every((word) => (word.endsWith("/") ? suite.startsWith(word) : text.includes(word)));
          here += row.hidden ? 0 : 1;
        }
        suite.hidden = here === 0;
        if (wanted.length) suite.open = here > 0;
        found += here;
      }
      told.textContent = wanted.length ? `${found} found` : "";
    };
    input.addEventListener("input", apply);
    document.querySelectorAll("[data-find]").forEach((link) =>
      link.addEventListener("click", () => {
        input.value = link.dataset.find;
        apply();
      }));
  }
  // A place that is led to is opened; paper cannot be.
  const reveal = () => {
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let box = place || null; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    if (place) place.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
