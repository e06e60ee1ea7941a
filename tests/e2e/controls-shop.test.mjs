// A shop, built three times, driven only through its tools from start to order.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, bundled, call, launch, open, page as html, schema, serve, toolNames } from './controls/browser.mjs';

const TOOLS = ['fill_checkout', 'fill_filter_products', 'fill_sort_products', 'get_page_controls', 'press_add_to_cart', 'press_delivery_terms'];
const ADA = { name: 'Ada', email: 'ada@example.org', country: 'Germany', shipping: 'Express', terms: true };

let site;
before(async () => {
  site = await serve();
  for (const name of ['react', 'vue']) {
    site.pages.set(`/shop-${name}.js`, await bundled(`shop-${name}.mjs`));
    site.pages.set(`/shop-${name}.html`, html(`<div id="app"></div><script src="/shop-${name}.js"></script>`));
  }
});
after(() => site.close());

/** The list of tools follows the page: asked again until it is as expected. */
async function until(page, ask, test) {
  for (let tries = 0; ; tries += 1) {
    const got = await ask();
    if (test(got) || tries === 600) return got;
    await page.waitForTimeout(50);
  }
}

for (const mode of ['native', 'polyfill']) {
  describe(mode, () => {
    let browser;
    before(async () => {
      browser = await launch(mode);
    });
    after(() => browser.close());

    for (const shop of ['plain', 'react', 'vue']) {
      test(`${shop}: from start to order`, async () => {
        const page = await open(browser, `${site.url}/shop-${shop}.html`);
        const tool = (name, input) => call(page, name, input);
        assert.deepEqual(await until(page, () => toolNames(page), (names) => names.length === TOOLS.length), TOOLS);
        const items = async (name) => (await schema(page, name))?.properties.item?.enum;
        assert.deepEqual(await items('press_add_to_cart'), ['Day pack 16', 'Rain cover', 'Trail pack 28']);

        // Nothing can be ordered yet, and the tools say why.
        const early = (await tool('get_page_controls')).controls.find((one) => one.tool === 'fill_checkout');
        assert.match(early.missing.join(), /name: .*email: .*country: .*shipping: .*terms: /);
        assert.ok(!JSON.stringify(early).includes('hidden-token'));

        const filtered = await tool('fill_filter_products', { value: 'pack' });
        assert.equal(filtered.control.value, 'pack');
        assert.deepEqual(await until(page, () => items('press_add_to_cart'), (names) => names?.length === 2), ['Day pack 16', 'Trail pack 28']);
        assert.equal((await tool('press_add_to_cart', { item: 'Rain cover' })).error.code, 'invalid_parameter');
        await tool('fill_filter_products', { value: '' });
        await until(page, () => items('press_add_to_cart'), (names) => names?.length === 3);
        const sorted = await tool('fill_sort_products', { value: 'By price' });
        assert.equal(sorted.control.value, 'By price');
        assert.deepEqual(await until(page, () => items('press_add_to_cart'), (names) => names?.[0] === 'Rain cover'), ['Rain cover', 'Day pack 16', 'Trail pack 28']);

        // The same call twice is one press.
        const added = await tool('press_add_to_cart', { item: 'Trail pack 28', request_id: 'add-1' });
        assert.equal(added.did, 'pressed');
        assert.deepEqual(added.messages, ['Cart: €129.90']);
        assert.deepEqual(await tool('press_add_to_cart', { item: 'Trail pack 28', request_id: 'add-1' }), added);
        const second = await tool('press_add_to_cart', { item: 'Rain cover' });
        assert.deepEqual(second.messages, ['Cart: €149.80']);
        await until(page, () => items('fill_set_quantity'), (names) => names?.length === 2);
        const changed = await tool('fill_set_quantity', { item: 'Trail pack 28', value: 3 });
        assert.deepEqual(changed.messages, ['Cart: €409.60']);
        assert.equal((await tool('fill_set_quantity', { item: 'Trail pack 28', value: 10 })).error.code, 'invalid_parameter');

        const opened = await tool('press_delivery_terms', { open: true });
        assert.deepEqual([opened.did, opened.control.expanded, opened.changed], ['opened', true, ['expanded']]);
        assert.equal((await tool('press_delivery_terms', { open: true })).did, 'nothing');

        // The person says no.
        const declined = tool('fill_checkout', ADA);
        await answer(page, 'Escape');
        assert.equal((await declined).error.code, 'confirmation_declined');
        assert.equal(await page.evaluate(() => window.orders), undefined);

        // The browser finds a mistake.
        const wrong = tool('fill_checkout', { ...ADA, email: 'ada' });
        await answer(page, 'allow');
        const { error } = await wrong;
        assert.equal(error.code, 'invalid_parameter');
        assert.deepEqual(Object.keys(error.fields), ['email']);
        assert.match(error.fields.email, /@/);
        assert.equal(await page.evaluate(() => window.orders), undefined);

        const ordered = tool('fill_checkout', { ...ADA, request_id: 'order-1' });
        await answer(page, 'allow');
        const order = await ordered;
        assert.equal(order.did, 'submitted');
        assert.deepEqual(order.messages, ['Order placed for Ada: €409.60']);
        assert.deepEqual(await tool('fill_checkout', { ...ADA, request_id: 'order-1' }), order);
        const orders = await page.evaluate(() => window.orders);
        assert.equal(orders.length, 1);
        const { token, ...taken } = orders[0];
        assert.deepEqual(taken, { name: 'Ada', email: 'ada@example.org', country: 'de', shipping: 'exp', terms: 'on', cart: { 'Trail pack 28': 3, 'Rain cover': 1 } });

        // Without a cart the button is disabled again.
        const again = tool('fill_checkout', ADA);
        await answer(page, 'allow');
        const refused = (await again).error;
        assert.equal(refused.code, 'not_allowed');
        assert.match(refused.message, /disabled/);
        assert.deepEqual(page.errors ?? [], []);

        // Every call is accounted for, no value is kept.
        const calls = await page.evaluate(async () => (await toolmark.ready).calls());
        const last = calls.filter((one) => one.tool === 'fill_checkout');
        assert.deepEqual(last.map((one) => [one.ok, one.error, one.confirmed, one.requestId]), [
          [false, 'confirmation_declined', false, undefined],
          [false, 'invalid_parameter', true, undefined],
          [true, undefined, true, 'order-1'],
          [true, undefined, undefined, 'order-1'],
          [false, 'not_allowed', true, undefined],
        ]);
        assert.ok(!JSON.stringify(calls).includes('Ada'));
        const manifest = await page.evaluate(async () => (await toolmark.ready).manifest());
        assert.deepEqual(manifest.tools.filter((one) => one.danger && one.confirm).map((one) => one.name), ['fill_checkout']);
        await page.close();
      });
    }
  });
}
