{% include "pages/directory.c" %}
{% include "pages/search.c" %}
{% include "pages/heap.c" %}
