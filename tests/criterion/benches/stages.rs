//! Each stage over pages of one, ten and a hundred times ten products: what grows faster than the page shows.

#[path = "../../support/mod.rs"]
#[allow(dead_code)]
mod support;

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use toolmark::options::Options;
use toolmark::{call, graph, json, map, read};

const URL: &str = "https://shop.example/list";
const TIMES: [usize; 3] = [10, 100, 1000];

/// Products as a shop writes them, in one syntax.
fn page(syntax: &str, products: usize) -> String {
    let mut html = String::from("<title>List</title>");
    if syntax == "json_ld" {
        html.push_str(r#"<script type="application/ld+json">{"@context":"https://schema.org","@graph":["#);
    }
    for n in 0..products {
        let comma = if n > 0 { "," } else { "" };
        match syntax {
            "json_ld" => write!(
                html,
                r##"{comma}{{"@type":"Product","@id":"#p{n}","name":"Product \"{n}\"","description":"One of many, with a text that says what it is.","url":"/p/{n}","image":["/i/{n}.png","/i/{n}-b.png"],"sku":"S{n}","brand":{{"@type":"Brand","name":"Acme"}},"offers":{{"@type":"Offer","price":{n}.90,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}}}"##
            ),
            "microdata" => write!(
                html,
                r##"<div itemscope itemtype="https://schema.org/Product" itemid="#p{n}"><h2 itemprop="name">Product {n}</h2><p itemprop="description">One of many, with a text<br>that says what it is.</p><a itemprop="url" href="/p/{n}"><img itemprop="image" src="/i/{n}.png"></a><meta itemprop="sku" content="S{n}"><div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><b itemprop="name">Acme</b></div><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="{n}.90">{n}</span><meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/InStock"></div></div>"##
            ),
            _ => write!(
                html,
                r##"<div vocab="https://schema.org/" typeof="Product" resource="#p{n}"><h2 property="name">Product {n}</h2><p property="description">One of many, with a text<br>that says what it is.</p><a property="url" href="/p/{n}"><img property="image" src="/i/{n}.png"></a><meta property="sku" content="S{n}"><div property="brand" typeof="Brand"><b property="name">Acme</b></div><div property="offers" typeof="Offer"><span property="price" content="{n}.90">{n}</span><meta property="priceCurrency" content="EUR"><link property="availability" href="https://schema.org/InStock"></div></div>"##
            ),
        }
        .expect("a string takes all");
    }
    if syntax == "json_ld" {
        html.push_str("]}</script>");
    }
    html
}

fn reader(criterion: &mut Criterion) {
    for syntax in ["json_ld", "microdata", "rdfa"] {
        let mut group = criterion.benchmark_group(format!("reader {syntax}"));
        for products in TIMES {
            let html = page(syntax, products);
            let documents = [support::document(&html, URL)];
            group.throughput(Throughput::Bytes(html.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(products), &documents, |bencher, documents| {
                bencher.iter(|| read::page(black_box(documents), &Options::default()));
            });
        }
    }
}

fn merging(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("graph");
    for products in TIMES {
        let documents = [support::document(&(page("json_ld", products) + &page("microdata", products)), URL)];
        let (page, _) = read::page(&documents, &Options::default());
        group.throughput(Throughput::Elements(page.nodes.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(products), &page.nodes, |bencher, nodes| {
            bencher.iter_batched(|| nodes.clone(), graph::build, criterion::BatchSize::LargeInput);
        });
    }
}

fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render");
    let input = json::parse("{}").expect("this is JSON").value;
    for products in TIMES {
        let mapping = map(&[support::document(&page("json_ld", products), URL)], &Options { page: false, ..Options::default() });
        let tool = mapping.tools.iter().find(|tool| tool.name.starts_with("list_")).expect("products are listed").name.clone();
        group.bench_with_input(BenchmarkId::from_parameter(products), &mapping, |bencher, mapping| {
            bencher.iter(|| call::run(black_box(mapping), &tool, &input));
        });
    }
}

criterion_group! {
    name = stages;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = reader, merging, render
}
criterion_main!(stages);
