// For browsers that don't know modules: they get the page without scripts.
location.replace("/authorize/page" + location.search);
