(() => {
  const charts = reading.charts.map((c) => {
    const figure = document.getElementById("chart-" + c.name);
    return {
      area: figure.querySelector(".area"), cursor: figure.querySelector(".cursor"),
      values: [...figure.querySelectorAll(".legend b")], series: c.series,
    };
  }).filter((c) => c.area);

  const at = (s, time) => {
    const i = Math.floor((time - s.at) / s.width);
    return i < 0 || i >= s.values.length ? "" : s.values[i] || "not known";
  };
  const show = (ratio) => {
    const time = reading.from + ratio * (reading.to - reading.from);
    for (const c of charts) {
      c.cursor.style.display = "block";
      c.cursor.style.left = ratio * 100 + "%";
      c.values.forEach((b, i) => { b.textContent = c.series[i] ? at(c.series[i], time) : ""; });
    }
  };
  const hide = () => {
    for (const c of charts) {
      c.cursor.style.display = "none";
      c.values.forEach((b) => { b.textContent = ""; });
    }
  };
  for (const c of charts) {
    c.area.addEventListener("pointermove", (e) => {
      const box = c.area.getBoundingClientRect();
      show(Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)));
    });
    c.area.addEventListener("pointerleave", hide);
  }
})();
