// Pages that make it hard to act on them: a call ends in time and says what came of it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, call, launch, open, page as html, serve, toolNames } from './controls/browser.mjs';

const button = (more = '', inside = 'Go') => `<button id="b" type="button" data-tool="go" data-tool-description="Goes on." ${more}>${inside}</button>`;
const script = (text) => `<script>const b = document.getElementById('b'); window.pressed = 0; ${text}</script>`;
const COUNT = "b?.addEventListener('click', () => { window.pressed += 1; });";

let site;
before(async () => {
  site = await serve();
});
after(() => site.close());

let count = 0;
/** Opens a page with this body. */
async function show(browser, body, options) {
  const path = `/page-${count += 1}.html`;
  site.pages.set(path, html(body, options));
  return open(browser, site.url + path);
}
/** The response of a page that comes only when the test ends it: the one that asks for it stays as long. */
const held = (path) => new Promise((resolve) => site.pages.set(path, (request, response) => resolve(response)));
const pressed = (page) => page.evaluate(() => window.pressed);

for (const mode of ['native', 'polyfill']) {
  describe(mode, () => {
    let browser;
    before(async () => {
      browser = await launch(mode);
    });
    after(() => browser.close());

    test('a button that moves is pressed where it is', async () => {
      const page = await show(browser, `<div style="height:3000px"></div><div id="far" style="margin-top:2000px"></div>${button('style="position:relative"')}
        ${script(`${COUNT} b.addEventListener('pointerover', () => document.getElementById('far').append(b)); let x = 0; setInterval(() => { x += 3; b.style.left = x % 300 + 'px'; }, 10);`)}`);
      assert.equal((await call(page, 'press_go')).did, 'pressed');
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a button that is put there anew all the time is found again', async () => {
      const page = await show(browser, `<div id="box">${button()}</div><script>window.pressed = 0;
        const box = document.getElementById('box');
        const anew = () => { const old = box.firstElementChild; const next = old.cloneNode(true); next.onclick = () => { window.pressed += 1; }; old.replaceWith(next); };
        anew(); setInterval(() => { anew(); window.anew = true; }, 400);</script>`);
      await page.waitForFunction(() => window.anew);
      assert.equal((await call(page, 'press_go')).did, 'pressed');
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a button that goes away while it is pressed', async () => {
      const page = await show(browser, button() + script(`${COUNT} b.addEventListener('pointerdown', () => b.remove());`));
      const { error } = await call(page, 'press_go');
      assert.deepEqual([error.code, error.begun], ['gone', true]);
      assert.equal(await pressed(page), 0);
      await page.close();
    });

    test('a button that goes away by being pressed has been pressed', async () => {
      const page = await show(browser, button() + script(`${COUNT} b.addEventListener('click', () => b.remove());`));
      const done = await call(page, 'press_go');
      assert.deepEqual([done.did, done.control], ['pressed', { gone: true }]);
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a button swapped for another one while the person is asked is not pressed', async () => {
      const page = await show(browser, button('data-tool-confirm="Go on?"') + script(`${COUNT}
        new MutationObserver(() => { if (document.querySelector('[data-toolmark-dialog]') && b.isConnected) { const other = document.createElement('button'); other.dataset.tool = 'other'; other.textContent = 'Pay'; other.onclick = () => { window.pressed += 1; }; b.replaceWith(other); } }).observe(document, { childList: true, subtree: true });`));
      const result = call(page, 'press_go');
      await answer(page, 'allow');
      const { error } = await result;
      assert.ok(['gone', 'not_found'].includes(error.code), JSON.stringify(error));
      assert.equal(await pressed(page), 0);
      await page.close();
    });

    test('a swapped handler is the one that runs', async () => {
      const page = await show(browser, button() + script("b.onclick = () => { window.old = true; }; b.addEventListener('pointerdown', () => { b.onclick = () => { window.pressed += 1; }; });"));
      await call(page, 'press_go');
      assert.deepEqual([await pressed(page), await page.evaluate(() => window.old)], [1, undefined]);
      await page.close();
    });

    test('an alert is told and shown', async () => {
      const page = await show(browser, button() + script("b.onclick = () => alert('Sold out');"));
      const shown = [];
      page.on('dialog', (dialog) => {
        shown.push(dialog.message());
        void dialog.accept();
      });
      const done = await call(page, 'press_go');
      assert.deepEqual(done.messages, ['Sold out']);
      assert.deepEqual(shown, ['Sold out']);
      assert.equal(await page.evaluate(() => /native code/.test(String(window.alert))), true);
      await page.close();
    });

    test('a button that is covered, hidden, disabled or gone is refused with its state', async () => {
      const page = await show(browser, `${button()}<div id="cover" style="position:fixed;inset:0">x</div>${script(COUNT)}`);
      const state = async (change) => {
        await page.evaluate(change);
        return (await call(page, 'press_go')).error;
      };
      const covered = await state('0');
      assert.deepEqual([covered.code, covered.message], ['not_allowed', 'The control is covered by <div id="cover">.']);
      const disabled = await state("document.getElementById('cover').remove(); b.disabled = true");
      assert.deepEqual([disabled.code, disabled.message, disabled.control], ['not_allowed', 'The control is disabled.', { visible: true, enabled: false, text: 'Go' }]);
      const hidden = await state("b.disabled = false; b.style.visibility = 'hidden'");
      assert.deepEqual([hidden.code, hidden.control.visible], ['not_allowed', false]);
      const inert = await state("b.style.visibility = ''; document.body.inert = true");
      assert.equal(inert.code, 'not_allowed');
      assert.equal(await pressed(page), 0);
      await page.evaluate("document.body.inert = false; b.remove()");
      await page.evaluate(() => toolmark.ready.then((handle) => handle.refresh()));
      assert.deepEqual(await toolNames(page), []);
      await page.close();
    });

    test('a handler that throws has been called, and its error is told', async () => {
      const page = await show(browser, button() + script(`${COUNT} b.onclick = () => { throw new Error('broken cart'); };`));
      const done = await call(page, 'press_go');
      assert.equal(done.did, 'pressed');
      assert.match(done.page_error, /broken cart/);
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a page that leaves says where to before it is gone', async () => {
      for (const body of [
        `<a href="/slow.html" data-tool="go" data-tool-description="Goes there.">Go</a>`,
        button() + script("b.onclick = () => { location.href = '/slow.html'; };"),
        `<form action="/slow.html" data-tool="go" data-tool-description="Goes there."><input name="q"><button>Go</button></form>`,
      ]) {
        const there = held('/slow.html');
        const page = await show(browser, body);
        const name = (await toolNames(page)).find((one) => /_go$/.test(one));
        const done = await call(page, name);
        assert.match(done.navigation.to, /\/slow\.html/, body);
        assert.equal(done.navigation.page, 'new');
        (await there).setHeader('content-type', 'text/html').end('<p>There');
        await page.waitForURL(/slow/);
        await page.close();
      }
    });

    test('a route of a single-page application is a change of the same page', async () => {
      const page = await show(browser, button() + script("b.onclick = () => { history.pushState({}, '', '/cart'); };"));
      const done = await call(page, 'press_go');
      assert.deepEqual([done.navigation.page, new URL(done.navigation.to).pathname], ['same', '/cart']);
      await page.close();
    });

    test('a page that never rests is answered all the same, one that is busy too long is a timeout', async () => {
      const page = await show(browser, `<p id="p"></p>${button()}<div aria-busy="true"><button id="c" data-tool="wait" data-tool-timeout="1" data-tool-description="Waits.">Wait</button></div>${script("setInterval(() => { document.getElementById('p').textContent = performance.now(); }, 5);")}`);
      assert.equal((await call(page, 'press_go')).did, 'pressed');
      const { error } = await call(page, 'press_wait');
      assert.deepEqual([error.code, error.begun], ['timeout', true]);
      await page.close();
    });

    test('calls of controls run one at a time', async () => {
      const page = await show(browser, `${button()}<div role="status" id="s"></div>${script("let running = 0; b.onclick = async () => { running += 1; document.getElementById('s').textContent = running; await new Promise((r) => setTimeout(r, 60)); running -= 1; };")}`);
      const all = await Promise.all([1, 2, 3].map(() => call(page, 'press_go')));
      assert.deepEqual(all.map((one) => one.messages?.at(-1)).filter((message) => message && message !== '1'), []);
      assert.deepEqual(all.map((one) => one.did), ['pressed', 'pressed', 'pressed']);
      await page.close();
    });

    test('an event that the page makes up never confirms, a minute of silence declines', async () => {
      const page = await browser.newPage();
      await page.clock.install();
      await page.addInitScript(() => {
        const attach = Element.prototype.attachShadow;
        Element.prototype.attachShadow = function (o) {
          return (window.caught = attach.call(this, { ...o, mode: 'open' }));
        };
      });
      site.pages.set('/asked.html', html(button('data-tool-danger') + script(COUNT)));
      await page.goto(`${site.url}/asked.html`);
      await page.clock.runFor(2000);
      await page.evaluate(() => toolmark.ready);
      const result = call(page, 'press_go');
      await page.waitForSelector('[data-toolmark-dialog]', { state: 'attached' });
      await page.clock.runFor(1000);
      await page.evaluate(() => {
        for (const element of window.caught.querySelectorAll('button:last-of-type')) {
          element.click();
          element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
          element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        }
      });
      await page.clock.runFor(30_000);
      assert.equal(await page.locator('[data-toolmark-dialog]').count(), 1);
      await page.clock.runFor(31_000);
      assert.equal((await result).error.code, 'confirmation_declined');
      assert.equal(await pressed(page), 0);
      await page.close();
    });

    test('secrets are neither filled nor shown, also once the page shows them', async () => {
      const later = held('/later.html');
      const page = await show(browser, `<form action="/later.html" data-tool="login" data-tool-description="Logs in."><label>User <input name="user"></label>
        <label>Password <input id="p" name="pin" type="password" value="s3cret" required></label><input type="hidden" name="t" value="t0ken"><input name="cc" autocomplete="cc-number" value="4111"><button>Go</button></form>
        <input id="q" type="password" data-tool="pass" data-tool-description="x" value="s3cret">`);
      await page.evaluate(() => {
        document.getElementById('p').type = 'text';
        document.getElementById('q').type = 'text';
      });
      await page.evaluate(() => toolmark.ready.then((handle) => handle.refresh()));
      const tried = await call(page, 'fill_pass', { value: 'x' });
      assert.equal(tried.error.code, 'not_allowed');
      assert.equal(await page.evaluate(() => document.getElementById('q').value), 's3cret');
      // The form is sent with GET: what it holds stands in the new address.
      const told = JSON.stringify([await call(page, 'get_page_controls'), await call(page, 'fill_login', { user: 'a' })]);
      assert.match(told, /submitted/);
      for (const secret of ['s3cret', 't0ken', '4111']) assert.ok(!told.includes(secret), told);
      (await later).end();
      await page.close();
    });

    test('what only the person can fill stops a form, in words', async () => {
      const page = await show(browser, `<form data-tool="login" data-tool-description="Logs in."><label>User <input name="user" required></label><label>Password <input name="pin" type="password" required></label><button>Go</button></form>`);
      const { error } = await call(page, 'fill_login', { user: 'ada' });
      assert.deepEqual([error.code, error.person_must_fill, error.begun], ['not_allowed', ['Password'], true]);
      await page.close();
    });

    test('fields of every kind take their values', async () => {
      const page = await show(browser, `<form data-tool="all" data-tool-description="Takes all." data-tool-submit="off">
        <input type="date" name="day"><input type="time" name="hour"><input type="range" name="size" min="0" max="10" value="5"><input type="color" name="shade">
        <select name="tags" multiple><option>a</option><option>b</option><option>c</option></select><textarea name="note"></textarea>
        <label><input type="checkbox" name="extra" value="x"> X</label><label><input type="checkbox" name="extra" value="y"> Y</label>
        <label style="position:relative"><input type="radio" name="plan" value="s" style="opacity:0;position:absolute"> Small</label><label style="position:relative"><input type="radio" name="plan" value="l" style="opacity:0;position:absolute"> Large</label>
        <input name="elements"><input name="id"></form>`);
      const done = await call(page, 'fill_all', { day: '2026-05-31', hour: '18:30', size: 7, shade: '#336699', tags: ['a', 'c'], note: 'one\ntwo', extra: ['Y'], plan: 'Large', elements: 'e', id: 'i' });
      assert.equal(done.did, 'filled', JSON.stringify(done));
      const values = await page.evaluate(() => {
        const form = document.querySelector('form');
        return [...new FormData(form)].map(([name, value]) => `${name}=${value}`);
      });
      assert.deepEqual(values, ['day=2026-05-31', 'hour=18:30', 'size=7', 'shade=#336699', 'tags=a', 'tags=c', 'note=one\r\ntwo', 'extra=y', 'plan=l', 'elements=e', 'id=i'].map((one) => one.replace('\r\n', '\n')));
      assert.match((await call(page, 'fill_all', { day: 'tomorrow' })).error.message, /'day' must be written like 2026-05-31/);
      await page.close();
    });

    test('controls in a shadow root are reached', async () => {
      const page = await show(browser, `<shop-buy></shop-buy><script>window.pressed = 0; customElements.define('shop-buy', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<p role="status"></p><button data-tool="buy" data-tool-description="Buys.">Buy</button>'; root.querySelector('button').onclick = () => { window.pressed += 1; root.querySelector('p').textContent = 'Bought'; }; } });</script>`);
      await page.evaluate(() => toolmark.ready.then((handle) => handle.refresh()));
      const done = await call(page, 'press_buy');
      assert.deepEqual([done.did, done.messages], ['pressed', ['Bought']]);
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a strict policy does not keep the person from being asked', async () => {
      site.pages.set('/strict.html', (request, response) => response.writeHead(200, {
        'content-type': 'text/html',
        'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      }).end(html('<details data-tool="more" data-tool-description="Opens more." data-tool-confirm="Open it?"><summary>More</summary>x</details>')));
      const page = await open(browser, `${site.url}/strict.html`);
      const result = call(page, 'press_more');
      await answer(page, 'allow');
      assert.equal((await result).did, 'opened');
      await page.close();
    });

    test('where the browser shows dialogs in its own way, that way is taken', async () => {
      const page = await show(browser, button('data-tool-confirm="Go on?"') + script(COUNT));
      const result = await page.evaluate(async () => {
        const tool = (await toolmark.ready).tools().find((one) => one.name === 'press_go');
        return tool.execute({}, { requestUserInteraction: async () => true });
      });
      assert.equal(result.did, 'pressed');
      assert.equal(await pressed(page), 1);
      await page.close();
    });

    test('a link to a new tab, a field that cannot be reached', async () => {
      const page = await show(browser, `<a href="/x.html" target="_blank" data-tool="tab" data-tool-description="x">X</a>
        <form data-tool="fold" data-tool-description="x"><input name="seen"><div hidden><input name="unseen"></div><button>Go</button></form>`);
      const done = await call(page, 'press_tab');
      assert.equal(done.navigation.page, 'tab');
      const { error } = await call(page, 'fill_fold', { seen: 'a', unseen: 'b' });
      assert.deepEqual([error.code, error.message], ['not_allowed', "The field 'unseen' is not visible."]);
      await page.close();
    });

    test('forms with toolname are served once, by whoever can', async () => {
      const page = await show(browser, `<form toolname="find_trains" tooldescription="Finds trains." toolautosubmit><label>To <input name="to" required></label><button>Go</button></form>
        <script>document.querySelector('form').addEventListener('submit', (event) => { event.preventDefault(); event.respondWith(Promise.resolve({ agent: event.agentInvoked, to: event.target.to.value })); });</script>`);
      assert.deepEqual(await toolNames(page), ['find_trains']);
      assert.deepEqual(await call(page, 'find_trains', { to: 'Bern' }), { agent: true, to: 'Bern' });
      const ours = await page.evaluate(async () => (await toolmark.ready).tools().length);
      assert.equal(ours, mode === 'native' ? 0 : 1);
      await page.close();
    });
  });
}
