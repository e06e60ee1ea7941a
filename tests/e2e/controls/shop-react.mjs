import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

const products = [{ name: 'Trail pack 28', price: 129.9 }, { name: 'Rain cover', price: 19.9 }, { name: 'Day pack 16', price: 79 }];
const price = (name) => products.find((one) => one.name === name).price;

function Shop() {
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState('name');
  const [cart, setCart] = useState({});
  const [status, setStatus] = useState('');
  const [form, setForm] = useState({ name: '', email: '', country: '', shipping: '', terms: false });
  const totalOf = (of) => Object.entries(of).reduce((sum, [name, count]) => sum + count * price(name), 0).toFixed(2);
  const set = (name, count) => {
    const next = { ...cart, [name]: count };
    if (!count) delete next[name];
    setCart(next);
    setStatus(`Cart: €${totalOf(next)}`);
  };
  const field = (name) => ({ name, value: form[name], onChange: (event) => setForm((old) => ({ ...old, [name]: event.target.value })) });
  const shown = products.filter((one) => one.name.toLowerCase().includes(filter.toLowerCase()))
    .sort((a, b) => (order === 'price' ? a.price - b.price : a.name.localeCompare(b.name)));
  return h('main', {},
    h('label', {}, 'Filter ', h('input', { type: 'search', value: filter, onChange: (event) => setFilter(event.target.value), 'data-tool': 'filter_products', 'data-tool-description': 'Shows only products whose name contains the text.' })),
    h('label', {}, 'Order ', h('select', { value: order, onChange: (event) => setOrder(event.target.value), 'data-tool': 'sort_products', 'data-tool-description': 'Sorts the products.' }, h('option', { value: 'name' }, 'By name'), h('option', { value: 'price' }, 'By price'))),
    h('ul', { id: 'products' }, shown.map((one) => h('li', { key: one.name }, h('h3', {}, one.name), h('p', {}, `€${one.price.toFixed(2)}`),
      h('button', { type: 'button', onClick: () => set(one.name, (cart[one.name] ?? 0) + 1), 'data-tool': 'add_to_cart', 'data-tool-description': 'Puts one piece of a product into the cart.' }, 'Add to cart')))),
    h('details', { 'data-tool': 'delivery_terms', 'data-tool-description': 'Opens what the shop says about delivery.' }, h('summary', {}, 'Delivery'), h('p', {}, 'Three days.')),
    h('ul', { id: 'cart' }, Object.entries(cart).map(([name, count]) => h('li', { key: name }, h('h4', {}, name), h('label', {}, 'Quantity ',
      h('input', { type: 'number', min: 0, max: 9, value: count, onChange: (event) => set(name, Number(event.target.value)), 'data-tool': 'set_quantity', 'data-tool-description': 'Changes how many pieces of a product are in the cart.' }))))),
    h('p', { role: 'status' }, status),
    h('form', {
      'data-tool': 'checkout', 'data-tool-description': 'Orders what is in the cart.', 'data-tool-confirm': 'Place this order?', 'data-tool-danger': '',
      onSubmit: (event) => {
        event.preventDefault();
        // What React knows, not what the fields show: an input that React did not see would be missing.
        window.orders = [...(window.orders ?? []), { ...form, terms: form.terms ? 'on' : undefined, shipping: form.shipping, cart }];
        setStatus(`Order placed for ${form.name}: €${totalOf(cart)}`);
        setCart({});
      },
    },
    h('label', {}, 'Name ', h('input', { ...field('name'), required: true })),
    h('label', {}, 'E-mail ', h('input', { ...field('email'), type: 'email', required: true })),
    h('label', {}, 'Country ', h('select', { ...field('country'), required: true }, h('option', { value: '' }, 'Choose…'), h('option', { value: 'de' }, 'Germany'), h('option', { value: 'fr' }, 'France'))),
    h('fieldset', {}, h('legend', {}, 'Shipping'), [['std', 'Standard'], ['exp', 'Express']].map(([value, label]) => h('label', { key: value },
      h('input', { type: 'radio', name: 'shipping', value, required: true, checked: form.shipping === value, onChange: () => setForm((old) => ({ ...old, shipping: value })) }), ` ${label}`))),
    h('label', {}, h('input', { type: 'checkbox', name: 'terms', required: true, checked: form.terms, onChange: (event) => setForm((old) => ({ ...old, terms: event.target.checked })) }), ' I accept the terms'),
    h('input', { type: 'hidden', name: 'token', value: 'hidden-token' }),
    h('button', { disabled: Object.keys(cart).length === 0 }, 'Order')));
}

createRoot(document.getElementById('app')).render(h(Shop));
