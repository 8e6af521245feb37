// An app as frameworks make them: it asks for its data, and draws.
fetch("tariffs.json")
  .then((answer) => answer.json())
  .then((page) => {
    document.title = page.title;
    const paragraphs = page.text.map((one) => `<p>${one}</p>`).join("");
    document.getElementById("root").innerHTML =
      `<main><h1>${page.title}</h1>${paragraphs}</main>`;
  });
