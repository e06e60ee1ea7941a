// A router without a framework: one view per product, its markup mounted with it.
import { products } from './catalogue.js';

const routes = document.getElementById('routes');
const view = document.getElementById('view');
routes.innerHTML = products.map(({ id, name }) => `<a href="#/${id}">${name}</a>`).join(' · ');

function show(id) {
  const product = products.find((other) => other.id === id) ?? products[0];
  const markup = {
    '@context': 'https://schema.org', '@type': 'Product', name: product.name, description: product.about,
    offers: { '@type': 'Offer', price: product.price, priceCurrency: 'EUR', availability: `https://schema.org/${product.stock}` },
  };
  const section = document.createElement('section');
  section.innerHTML = `<h2>${product.name}</h2><p class="price">${product.price} €</p><p>${product.about}</p>`;
  const script = document.createElement('script');
  script.type = 'application/ld+json';
  script.textContent = JSON.stringify(markup);
  section.append(script);
  view.replaceChildren(section);
  document.title = `${product.name} – Hill Supply`;
}

routes.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  history.pushState({}, '', `?p=${link.hash.slice(2)}`);
  show(link.hash.slice(2));
});
addEventListener('popstate', () => show(new URLSearchParams(location.search).get('p')));
show(new URLSearchParams(location.search).get('p'));
