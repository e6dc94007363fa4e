// Loads the scripts that the page keeps in a template until its styles are there, so that they don't share a slow line with its styles.
document.head.append(document.getElementById("later").content);
