import { createApp } from 'vue/dist/vue.esm-bundler.js';

createApp({
  data: () => ({
    products: [{ name: 'Trail pack 28', price: 129.9 }, { name: 'Rain cover', price: 19.9 }, { name: 'Day pack 16', price: 79 }],
    filter: '', order: 'name', cart: {}, status: '',
    form: { name: '', email: '', country: '', shipping: '', terms: false },
  }),
  computed: {
    shown() {
      return this.products.filter((one) => one.name.toLowerCase().includes(this.filter.toLowerCase()))
        .sort((a, b) => (this.order === 'price' ? a.price - b.price : a.name.localeCompare(b.name)));
    },
    total() {
      return Object.entries(this.cart).reduce((sum, [name, count]) => sum + count * this.products.find((one) => one.name === name).price, 0).toFixed(2);
    },
  },
  methods: {
    set(name, count) {
      if (count) this.cart[name] = count;
      else delete this.cart[name];
      this.status = `Cart: €${this.total}`;
    },
    submit() {
      window.orders = [...(window.orders ?? []), { ...this.form, terms: this.form.terms ? 'on' : undefined, cart: { ...this.cart } }];
      this.status = `Order placed for ${this.form.name}: €${this.total}`;
      this.cart = {};
    },
  },
  template: `<main>
    <label>Filter <input type="search" v-model="filter" data-tool="filter_products" data-tool-description="Shows only products whose name contains the text."></label>
    <label>Order <select v-model="order" data-tool="sort_products" data-tool-description="Sorts the products."><option value="name">By name</option><option value="price">By price</option></select></label>
    <ul id="products"><li v-for="one in shown" :key="one.name"><h3>{{ one.name }}</h3><p>€{{ one.price.toFixed(2) }}</p>
      <button type="button" @click="set(one.name, (cart[one.name] ?? 0) + 1)" data-tool="add_to_cart" data-tool-description="Puts one piece of a product into the cart.">Add to cart</button></li></ul>
    <details data-tool="delivery_terms" data-tool-description="Opens what the shop says about delivery."><summary>Delivery</summary><p>Three days.</p></details>
    <ul id="cart"><li v-for="(count, name) in cart" :key="name"><h4>{{ name }}</h4><label>Quantity
      <input type="number" min="0" max="9" :value="count" @change="set(name, Number($event.target.value))" data-tool="set_quantity" data-tool-description="Changes how many pieces of a product are in the cart."></label></li></ul>
    <p role="status">{{ status }}</p>
    <form @submit.prevent="submit" data-tool="checkout" data-tool-description="Orders what is in the cart." data-tool-confirm="Place this order?" data-tool-danger>
      <label>Name <input name="name" v-model="form.name" required></label>
      <label>E-mail <input name="email" type="email" v-model.lazy="form.email" required></label>
      <label>Country <select name="country" v-model="form.country" required><option value="">Choose…</option><option value="de">Germany</option><option value="fr">France</option></select></label>
      <fieldset><legend>Shipping</legend><label><input type="radio" name="shipping" value="std" v-model="form.shipping" required> Standard</label> <label><input type="radio" name="shipping" value="exp" v-model="form.shipping"> Express</label></fieldset>
      <label><input type="checkbox" name="terms" v-model="form.terms" required> I accept the terms</label>
      <input type="hidden" name="token" value="hidden-token">
      <button :disabled="Object.keys(cart).length === 0">Order</button>
    </form>
  </main>`,
}).mount('#app');
