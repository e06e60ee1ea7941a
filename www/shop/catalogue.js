// What the demo shop sells: read by its pages and by the server's search.
export const products = [
  { id: 'trail-pack-28', name: 'Trail pack 28', price: '129.90', stock: 'InStock', about: 'A light walking pack with padded straps and a rain cover, made from recycled nylon.' },
  { id: 'day-pack-16', name: 'Day pack 16', price: '79.00', stock: 'InStock', about: 'A small pack for a day out, with a bottle pocket on each side.' },
  { id: 'hut-pack-40', name: 'Hut pack 40', price: '189.50', stock: 'BackOrder', about: 'Carries what three days from hut to hut ask for; opens flat.' },
  { id: 'rain-cover-l', name: 'Rain cover L', price: '19.90', stock: 'InStock', about: 'Keeps packs from 28 to 45 litres dry.' },
  { id: 'steel-bottle-750', name: 'Steel bottle 750', price: '24.00', stock: 'OutOfStock', about: 'A bottle of 0.75 litres that keeps tea warm for twelve hours.' },
  { id: 'wool-socks', name: 'Wool socks', price: '17.50', stock: 'InStock', about: 'Merino socks that do not rub.' },
];

/** The products whose name or description holds every word of `query`. */
export function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return products.filter(({ name, about }) => words.every((word) => `${name} ${about}`.toLowerCase().includes(word)));
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** One product as a list entry with microdata. */
export function card({ id, name, price, stock, about }) {
  return `<li itemscope itemtype="https://schema.org/Product">
  <a itemprop="url" href="/shop/${id}.html"><span itemprop="name">${escape(name)}</span></a>
  <p itemprop="description">${escape(about)}</p>
  <p itemprop="offers" itemscope itemtype="https://schema.org/Offer">
    <span class="price"><span itemprop="price">${price}</span> <span itemprop="priceCurrency" content="EUR">€</span></span>
    <link itemprop="availability" href="https://schema.org/${stock}">
  </p>
</li>`;
}

/** The page that answers a search. */
export function results(query) {
  const found = search(query);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Search – Hill Supply</title><link rel="stylesheet" href="/style.css">
<header><a href="/shop/">Hill Supply</a></header>
<main><h1>${found.length} found for “${escape(query)}”</h1><ul class="products">${found.map(card).join('\n')}</ul></main></html>\n`;
}

/** The page of one product, for those that have no file of their own. */
export function page(id) {
  const one = products.find((other) => other.id === id);
  if (!one) return undefined;
  const markup = {
    '@context': 'https://schema.org', '@type': 'Product', name: one.name, description: one.about, sku: one.id,
    offers: { '@type': 'Offer', price: one.price, priceCurrency: 'EUR', availability: `https://schema.org/${one.stock}` },
  };
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(one.name)} – Hill Supply</title><link rel="stylesheet" href="/style.css"><script src="/dist/toolmark.js" data-max-tools="12"></script>
<script type="application/ld+json">${JSON.stringify(markup)}</script>
<header><a href="/shop/">Hill Supply</a></header>
<main><h1>${escape(one.name)}</h1><p class="price">${one.price} €</p><p>${escape(one.about)}</p></main></html>\n`;
}
