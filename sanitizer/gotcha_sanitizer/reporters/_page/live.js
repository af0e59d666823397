// The page of a run that goes on: its parts are replaced when the server says that it has grown.
const source = new EventSource("events");
let busy = false;

source.addEventListener("open", () => {
  document.documentElement.dataset.live = "open";
});

source.addEventListener("message", async () => {
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch("page");
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = [...document.querySelectorAll("details")].map((each) => each.open);
    for (const part of ["header", "main"]) {
      document.querySelector(part).replaceWith(page.querySelector(part));
    }
    document.querySelectorAll("details").forEach((each, index) => {
      if (index < open.length) each.open = open[index];
    });
    document.documentElement.dataset.updates = Number(document.documentElement.dataset.updates ?? 0) + 1;
    document.dispatchEvent(new Event("replaced"));
  } finally {
    busy = false;
  }
});
