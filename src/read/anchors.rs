//! What of a page readers of microdata and RDFa look at: the rules by which a live page's snapshot may be sparse.
//!
//! A sparse snapshot holds
//! 1. every element that [`PAGE`] names;
//! 2. where [`MICRODATA_TEST`] finds something: every element of [`MICRODATA`] and, for each id in an `itemref`
//!    attribute, the first element with that id in the same tree ([`ITEMREF`]);
//! 3. where [`RDFA_TEST`] finds something: every element of [`RDFA`], and every ancestor of one of them that has an
//!    attribute whose name starts with `xmlns:`. An element that matches only for its `href` or `src` may be left out
//!    where nothing else of [`RDFA`] is inside it and no element with `rel` or `rev` is around it;
//! 4. where [`FORM_TEST`] finds something: every element of [`FORM`];
//! 5. for each of these that a `…_TEXT` selector matches: its whole subtree, elements and texts (what is inside
//!    `script`, `style`, `template` or `noscript` may be left out). Other texts may be left out.
//!
//! Its elements carry at least the attributes in [`ATTRIBUTES`] and those whose names start with `xmlns:`. The
//! children of a missing element stand in its place; document order is kept. All selectors are for
//! `querySelectorAll`, which does not enter templates or shadow roots, and neither do readers. What of these is read at
//! all is a snapshot of its own, as is the markup in a `noscript`, which is text where scripts run.

/// What [`meta`](super::meta) reads, and what every reader needs to know where it is and in which language.
pub const PAGE: &str =
    r#"html,head,body,base,title,link[rel~="canonical" i],meta[name],meta[property],meta[http-equiv],[lang],[xml\:lang]"#;
/// Elements of [`PAGE`] whose text is read.
pub const PAGE_TEXT: &str = "title";

/// Without any such element there is no microdata.
pub const MICRODATA_TEST: &str = "[itemscope]";
/// Elements that microdata is made of.
pub const MICRODATA: &str = "[itemscope],[itemprop]";
/// Elements that name others by id.
pub const ITEMREF: &str = "[itemscope][itemref]";
/// Elements of [`MICRODATA`] whose text may be a value.
pub const MICRODATA_TEXT: &str = "[itemprop]:not([itemscope],[content],meta,link,a[href],area[href],img,audio,video,source,track,embed,iframe,object,data,meter,input,time[datetime]),svg [itemprop]:not([itemscope],[content])";

/// Without any such element there is no RDFa that anybody could use. Open Graph and its kin (`property` on `meta`)
/// are on nearly every page and no reason to look further; nor are link types, and full URLs in `rel`, which
/// WordPress puts into every head.
pub const RDFA_TEST: &str = r#"[typeof],[vocab],[about],[property]:not(meta),[rel~="license" i],[rel*=":"]:not([rel*="://"]),[rel*="schema.org/"],[rev*=":"],meta[property*=":"]:not([property^="og:"],[property^="article:"],[property^="fb:"],[property^="twitter:"],[property^="product:"],[property^="profile:"],[property^="book:"],[property^="video:"],[property^="music:"],[property^="al:"])"#;
/// Elements that RDFa is made of.
pub const RDFA: &str = "[typeof],[vocab],[about],[property],[resource],[prefix],[rel],[rev],[href],[src]";
/// Elements of [`RDFA`] whose text may be a value.
pub const RDFA_TEXT: &str = "[property]:not([content],[datetime],meta,link,img,input,[typeof]:not([about],[datatype]),[href]:not([datatype],[rel],[rev]),[src]:not([datatype],[rel],[rev]))";

/// Prefixes of `property` on `meta` that are Open Graph or its kin, as in [`RDFA_TEST`].
pub const OPEN_GRAPH: &str = "og article fb twitter product profile book video music al";

/// Without any such element there is no search form.
pub const FORM_TEST: &str = "form:not([toolname])";
/// Forms that may be a search, their controls, and what says that they are one. The controls of forms that are not
/// sent with GET are nobody's business.
pub const FORM: &str = r#"form:not([toolname]),search,[role="search" i],form:not([method="post" i],[method="dialog" i],[toolname]) :is(input,select,option,textarea,button,label,fieldset[disabled]),:is(input,select,textarea,button)[form],label[for]"#;
/// Elements of [`FORM`] whose text is read.
pub const FORM_TEXT: &str = r#"form:not([method="post" i],[method="dialog" i],[toolname]) :is(label,option:not([value])),label[for]"#;

/// Without any such element nothing is marked for agents.
pub const CONTROLS_TEST: &str = "[data-tool],form[toolname]";
/// What is marked, the fields of marked forms, and what fields and rows of a list are called by. Where
/// [`CONTROLS_TEST`] finds something, every ancestor of what it finds is held too: which part of a list a button
/// stands in is told by them.
pub const CONTROLS: &str = r#"[data-tool],[data-tool-off],[data-tool-item],[contenteditable],form[toolname],:is(form[data-tool],form[toolname]) :is(input,select,option,textarea,fieldset),select[data-tool] option,:is(input,select,textarea)[form],label,legend,h1,h2,h3,h4,h5,h6,th,[itemprop~="name"]"#;
/// Elements of [`CONTROLS`] whose text is read.
pub const CONTROLS_TEXT: &str =
    r#"[data-tool]:not(form,details,select,input,textarea),option,label,legend,h1,h2,h3,h4,h5,h6,th,[itemprop~="name"]"#;
/// Attributes that are read where [`CONTROLS_TEST`] finds something.
pub const CONTROL_ATTRIBUTES: &[&str] = &[
    "aria-label",
    "autocomplete",
    "checked",
    "contenteditable",
    "data-tool",
    "data-tool-confirm",
    "data-tool-danger",
    "data-tool-description",
    "data-tool-item",
    "data-tool-off",
    "data-tool-param",
    "data-tool-param-description",
    "data-tool-submit",
    "data-tool-timeout",
    "data-tool-title",
    "disabled",
    "for",
    "form",
    "label",
    "role",
    "selected",
    "toolautosubmit",
    "tooldescription",
    "toolname",
    "toolparamdescription",
    "tooltitle",
    "type",
];

/// Names of the attributes that the readers read; beside these, all that start with `xmlns:`.
pub const ATTRIBUTES: &[&str] = &[
    // Everywhere.
    "content",
    "data",
    "datetime",
    "href",
    "id",
    "lang",
    "src",
    "value",
    "xml:lang",
    // The page.
    "http-equiv",
    "name",
    "rel",
    // Microdata.
    "itemid",
    "itemprop",
    "itemref",
    "itemscope",
    "itemtype",
    // Form controls that describe an action's input.
    "max",
    "maxlength",
    "min",
    "minlength",
    "multiple",
    "pattern",
    "readonly",
    "required",
    "step",
    // Search forms.
    "action",
    "aria-label",
    "autocomplete",
    "checked",
    "disabled",
    "for",
    "form",
    "method",
    "placeholder",
    "role",
    "selected",
    "toolname",
    "type",
    // RDFa.
    "about",
    "datatype",
    "inlist",
    "prefix",
    "property",
    "resource",
    "rev",
    "typeof",
    "vocab",
];
