// Pages to measure on, always the same ones: one value of each changes between two refreshes.

const WORDS = 'a sturdy rucksack for three days on the hill with room for rope stove and tent its lid comes off and its frame folds flat when the walk is done and the train is full'.split(' ');

/** Sentences that repeat after no page: a small linear generator, started anew for each page. */
function writer() {
  let state = 11;
  const next = () => (state = (state * 1103515245 + 12345) % 2147483648);
  return (count) => Array.from({ length: count }, () => WORDS[next() % WORDS.length]).join(' ');
}

const block = (value) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const repeat = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const context = { '@context': 'https://schema.org' };
const price = (i) => `${20 + (i % 80)}.50`;

const product = (i, words) => ({
  '@type': 'Product',
  '@id': `#rucksack-${i}`,
  name: `Rucksack ${i} ${words(3)}`,
  description: words(75),
  image: [`https://shop.example/img/${i}-a.jpg`, `https://shop.example/img/${i}-b.jpg`],
  sku: `RS-${i}`,
  gtin13: String(4000000000000 + i),
  brand: { '@type': 'Brand', name: 'Ridge' },
  offers: { '@type': 'Offer', price: price(i), priceCurrency: 'EUR', availability: 'https://schema.org/InStock', url: `https://shop.example/r/${i}` },
  aggregateRating: { '@type': 'AggregateRating', ratingValue: (3 + (i % 20) / 10).toFixed(1), reviewCount: (i % 90) + 1 },
});
const shop = {
  '@type': 'Organization', '@id': '#shop', name: 'Ridge & Co', url: 'https://shop.example/', logo: 'https://shop.example/logo.png',
  sameAs: ['https://social.example/ridge', 'https://video.example/ridge'],
  address: { '@type': 'PostalAddress', streetAddress: '2 Lane', addressLocality: 'Hilltown', postalCode: '54321', addressCountry: 'GB' },
};
const trail = { '@type': 'BreadcrumbList', '@id': '#trail', itemListElement: repeat(3, (i) => ({ '@type': 'ListItem', position: i + 1, name: `Shelf ${i}`, item: `https://shop.example/s${i}` })) };
const site = {
  '@type': 'WebSite', url: 'https://shop.example/', name: 'Ridge & Co',
  potentialAction: { '@type': 'SearchAction', target: { '@type': 'EntryPoint', urlTemplate: 'https://shop.example/find?q={q}' }, 'query-input': 'required name=q' },
};

const text = (words) => repeat(60, (i) => `<div class="row r${i % 7}"><h3>Shelf ${i}</h3><p>${words(14)}</p><a href="/s/${i}">more</a></div>`).join('\n');

/** Sets the price in the first block. */
const BLOCK_PRICE = `(k) => { const s = document.querySelector('script[type="application/ld+json"]'); s.textContent = s.textContent.replace(/"price":"[^"]*"/, '"price":"' + k + '.00"'); }`;
const textPrice = (selector) => `(k) => { document.querySelector('${selector}').firstChild.nodeValue = k + '.00'; }`;

/** By name: the markup of a body, and the source of a function that changes one price of it to a number. */
export const PAGES = {
  small: {
    body: (words) => {
      const review = (i) => ({ '@type': 'Review', reviewBody: words(20), author: { '@type': 'Person', name: `Walker ${i}` }, reviewRating: { '@type': 'Rating', ratingValue: 4 } });
      const main = { ...context, ...product(1, words), review: repeat(3, review) };
      return text(words) + [main, ...[trail, shop, site].map((thing) => ({ ...context, ...thing }))].map(block).join('');
    },
    change: BLOCK_PRICE,
  },
  bigld: {
    body: (words) => {
      const items = repeat(500, (i) => ({ '@type': 'ListItem', position: i + 1, item: product(i, words) }));
      const page = { '@type': 'CollectionPage', '@id': '#page', name: 'All rucksacks', breadcrumb: { '@id': '#trail' } };
      return text(words) + block({ ...context, '@graph': [page, trail, shop, site, { '@type': 'ItemList', '@id': '#list', numberOfItems: 500, itemListElement: items }] });
    },
    change: BLOCK_PRICE,
  },
  graph500: {
    body: (words) => text(words) + block({ ...context, '@graph': repeat(500, (i) => product(i, words)) }),
    change: BLOCK_PRICE,
  },
  blocks500: {
    body: (words) => text(words) + repeat(500, (i) => block({ ...context, ...product(i, words) })).join('\n'),
    change: BLOCK_PRICE,
  },
  micro5000: {
    body: (words) => repeat(5000, (i) => `<article itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">Rucksack ${i}</h2><img itemprop="image" alt="" src="data:,"><p itemprop="description">${words(10)}</p><meta itemprop="sku" content="RS-${i}"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">${price(i)}</span><meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/InStock"></div></article>`).join('\n'),
    change: textPrice('[itemprop=price]'),
  },
  rdfa2000: {
    body: () => `<div vocab="https://schema.org/">${repeat(2000, (i) => `<article typeof="Product"><h2 property="name">Rucksack ${i}</h2><meta property="sku" content="RS-${i}"><div property="offers" typeof="Offer"><span property="price">${price(i)}</span><meta property="priceCurrency" content="EUR"></div></article>`).join('\n')}</div>`,
    change: textPrice('[property=price]'),
  },
};

/** A whole page. */
export const page = (name, head = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>${head}</head><body>${PAGES[name].body(writer())}<div id="sink"></div></body></html>`;
