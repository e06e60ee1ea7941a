//! One table: for each kind of thing, its name, what comes first, what waits for `include`, what a list shows.
//!
//! A profile orders and shortens, it never hides: every other property of an entity follows the ones named here.

use alloc::{borrow::Cow, rc::Rc, string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::graph::Entity;
use crate::json::{self, Json};
use crate::options::Options;
use crate::read::schema_name;
use crate::text::{self, among};
use crate::vocabulary;

/// A kind of thing. Lists are names with a space between them.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What follows `get_`; empty: the type's own name.
    pub slug: Cow<'static, str>,
    /// What follows `list_`.
    pub plural: Cow<'static, str>,
    /// How likely it is what a page is about: [`NEVER`], [`PART`], [`SECOND`], then content up to 9.
    pub rank: u8,
    /// The types it is for; their subtypes too, unless a nearer profile names them.
    pub types: Cow<'static, str>,
    /// Properties that come first, in this order.
    pub first: Cow<'static, str>,
    /// Properties that wait for `include`, beside those that always do ([`waits`]).
    pub heavy: Cow<'static, str>,
    /// What an item of a long list shows.
    pub columns: Cow<'static, str>,
}

/// Machinery: it stays inside the thing it belongs to, whatever the page holds.
pub const NEVER: u8 = 0;
/// Furniture and parts: a tool of their own only where a page has nothing else.
pub const PART: u8 = 1;
/// Who is behind a page: a tool of their own if they have more than a name.
pub const SECOND: u8 = 2;
/// What a type without a profile is worth.
const PLAIN: u8 = 4;

type Row = (&'static str, &'static str, u8, &'static str, &'static str, &'static str, &'static str);

/// slug, plural, rank, types, first, heavy, columns. The first profile that names the nearest type wins.
const TABLE: &[Row] = &[
    (
        "product",
        "products",
        9,
        "Product ProductGroup ProductModel IndividualProduct SomeProducts",
        "name description brand offers aggregateRating variesBy sku gtin mpn category color size material",
        "isRelatedTo isSimilarTo isAccessoryOrSparePartFor isConsumableFor",
        "name brand offers aggregateRating url",
    ),
    (
        "vehicle",
        "vehicles",
        9,
        "Vehicle",
        "name description brand model vehicleModelDate mileageFromOdometer offers",
        "",
        "name vehicleModelDate mileageFromOdometer offers url",
    ),
    (
        "recipe",
        "recipes",
        9,
        "Recipe",
        "name description author recipeYield prepTime cookTime totalTime recipeIngredient recipeInstructions nutrition aggregateRating recipeCategory recipeCuisine suitableForDiet keywords",
        "",
        "name author totalTime aggregateRating url",
    ),
    (
        "event",
        "events",
        9,
        "Event",
        "name description startDate endDate doorTime eventStatus eventAttendanceMode location offers performer organizer",
        "",
        "name startDate endDate location performer eventStatus offers url",
    ),
    (
        "job",
        "jobs",
        9,
        "JobPosting",
        "title hiringOrganization employmentType jobLocation jobLocationType applicantLocationRequirements baseSalary datePosted validThrough description",
        "",
        "title hiringOrganization jobLocation jobLocationType baseSalary datePosted url",
    ),
    (
        "course",
        "courses",
        9,
        "Course CourseInstance",
        "name description provider courseCode coursePrerequisites hasCourseInstance offers",
        "",
        "name provider offers url",
    ),
    (
        "application",
        "applications",
        9,
        "SoftwareApplication",
        "name description applicationCategory operatingSystem softwareVersion offers aggregateRating",
        "releaseNotes",
        "name applicationCategory operatingSystem offers aggregateRating url",
    ),
    (
        "book",
        "books",
        9,
        "Book",
        "name author isbn bookFormat bookEdition numberOfPages publisher datePublished description offers aggregateRating",
        "",
        "name author isbn offers url",
    ),
    (
        "movie",
        "movies",
        9,
        "Movie",
        "name description director actor duration genre contentRating datePublished aggregateRating",
        "",
        "name datePublished genre aggregateRating url",
    ),
    (
        "",
        "",
        8,
        "CreativeWorkSeries CreativeWorkSeason Episode MusicAlbum MusicRecording MusicPlaylist Game",
        "name description byArtist duration datePublished genre",
        "",
        "name episodeNumber seasonNumber byArtist duration datePublished url",
    ),
    (
        "dataset",
        "datasets",
        9,
        "Dataset DataCatalog",
        "name description creator license temporalCoverage spatialCoverage variableMeasured measurementTechnique version keywords distribution",
        "",
        "name description license url",
    ),
    (
        "how_to",
        "how_tos",
        9,
        "HowTo",
        "name description totalTime prepTime performTime estimatedCost yield supply tool step",
        "",
        "name totalTime url",
    ),
    (
        "accommodation",
        "accommodations",
        8,
        "Accommodation Residence House Apartment RealEstateListing",
        "name description address offers floorSize numberOfRooms numberOfBedrooms numberOfBathroomsTotal occupancy amenityFeature",
        "",
        "name address offers floorSize numberOfRooms url",
    ),
    (
        "post",
        "posts",
        8,
        "DiscussionForumPosting SocialMediaPosting",
        "headline name author datePublished dateModified text",
        "comment",
        "headline name author datePublished text url",
    ),
    (
        "question",
        "questions",
        8,
        "Question",
        "name text author dateCreated datePublished answerCount upvoteCount acceptedAnswer suggestedAnswer",
        "",
        "name answerCount acceptedAnswer url",
    ),
    (
        "service",
        "services",
        7,
        "Service",
        "name description serviceType provider areaServed offers",
        "",
        "name serviceType provider offers url",
    ),
    (
        "article",
        "articles",
        7,
        "Article BlogPosting NewsArticle",
        "headline name description author datePublished dateModified articleSection keywords publisher",
        "text",
        "headline name author datePublished url",
    ),
    (
        "business",
        "businesses",
        6,
        "LocalBusiness",
        "name description address telephone email openingHours openingHoursSpecification priceRange servesCuisine aggregateRating geo",
        "hasMenu menu",
        "name address telephone openingHours aggregateRating url",
    ),
    (
        "review",
        "reviews",
        6,
        "Review",
        "name itemReviewed reviewRating author datePublished reviewBody",
        "",
        "name itemReviewed reviewRating author datePublished reviewBody url",
    ),
    (
        "comment",
        "comments",
        5,
        "Comment UserComments",
        "author creator dateCreated datePublished commentTime text commentText",
        "",
        "author creator dateCreated datePublished commentTime text commentText url",
    ),
    ("video", "videos", 5, "VideoObject Clip", "name description duration uploadDate", "transcript", "name duration uploadDate url"),
    ("audio", "audio", 5, "AudioObject", "name description duration uploadDate", "transcript", "name duration uploadDate url"),
    ("list", "items", 5, "ItemList", "name description numberOfItems itemListElement", "", "name description url"),
    ("faq", "faqs", 4, "FAQPage", "mainEntity", "", "name url"),
    ("person", "people", SECOND, "Person", "name jobTitle worksFor description address telephone email", "", "name jobTitle worksFor url"),
    (
        "organization",
        "organizations",
        SECOND,
        "Organization",
        "name legalName description address telephone email contactPoint",
        "",
        "name address telephone url",
    ),
    (
        "web_page",
        "web_pages",
        PART,
        "WebPage WebPageElement",
        "name headline description about datePublished dateModified lastReviewed",
        "",
        "name url",
    ),
    ("web_site", "web_sites", PART, "WebSite", "name alternateName description publisher", "", "name url"),
    ("breadcrumb", "breadcrumbs", PART, "BreadcrumbList", "itemListElement", "", "name url"),
    (
        "offer",
        "offers",
        PART,
        "Offer AggregateOffer Demand",
        "name itemOffered price lowPrice highPrice priceCurrency availability itemCondition seller",
        "",
        "name itemOffered price priceCurrency availability url",
    ),
    (
        "rating",
        "ratings",
        PART,
        "Rating",
        "itemReviewed ratingValue bestRating ratingCount reviewCount",
        "",
        "itemReviewed ratingValue ratingCount reviewCount",
    ),
    ("image", "images", PART, "MediaObject", "name caption description contentUrl", "", "name caption contentUrl url"),
    ("answer", "answers", PART, "Answer", "text author dateCreated datePublished upvoteCount", "", "text author upvoteCount url"),
    (
        "",
        "",
        PART,
        "PostalAddress ContactPoint NutritionInformation OpeningHoursSpecification Brand DefinedTerm HowToStep HowToSection",
        "",
        "",
        "name url",
    ),
    (
        "",
        "",
        NEVER,
        "Action EntryPoint PropertyValueSpecification ListItem SpeakableSpecification StructuredValue Enumeration Quantity Language Audience Rating MerchantReturnPolicy SiteNavigationElement WPHeader WPFooter WPSideBar WPAdBlock DataType VirtualLocation AdministrativeArea Schedule",
        "",
        "",
        "name url",
    ),
];

/// Properties that wait for `include` wherever they stand: long, about something else, or another vocabulary's.
pub fn waits(property: &str) -> bool {
    const HEAVY: &str = "articleBody reviewBody review reviews comment transcript hasPart isPartOf mainEntityOfPage associatedMedia video audio \
        subjectOf hasMerchantReturnPolicy shippingDetails interactionStatistic isBasedOn breadcrumb identifier mentions";
    is_minor(property) || among(HEAVY, property)
}

/// Properties of which the first few values are told, shortened, until all are asked for.
pub fn starts(property: &str) -> bool {
    property == "suggestedAnswer"
}

/// Properties whose values are pictures.
pub fn shows(property: &str) -> bool {
    among("image images thumbnailUrl thumbnail logo photo photos primaryImageOfPage screenshot banner", property)
}

/// Properties that hardly anybody asks for: they wait together, under one word of ours.
fn is_minor(property: &str) -> bool {
    const MINOR: &str = "encoding wordCount copyrightHolder copyrightYear copyrightNotice creditText isAccessibleForFree isFamilyFriendly \
        sourceOrganization accountablePerson commentCount discussionUrl publishingPrinciples relatedLink significantLink workTranslation \
        translationOfWork interactionCount";
    among(MINOR, property)
}

/// The property is one that this table names: nothing else may stand in a definition.
pub fn names(profile: Option<&Profile>, property: &str) -> bool {
    let own = |profile: &Profile| [&profile.first, &profile.heavy, &profile.columns].iter().any(|list| among(list, property));
    (waits(property) && !is_minor(property) && !property.contains([':', '/'])) || profile.is_some_and(own)
}

/// All profiles: the site's, ours, and one for each further type that was asked for.
pub struct Profiles {
    list: Vec<Profile>,
    known: Vec<(Rc<str>, Option<u16>)>,
}

impl Profiles {
    /// Ours, with the site's before them. The site's are a JSON object `{slug: {plural?, rank?, types, first?, heavy?,
    /// columns?}}`, lists as arrays of names; what it leaves out is taken from our profile of that slug.
    pub fn new(options: &Options) -> (Self, Vec<Diagnostic>) {
        let ours = TABLE.iter().map(|&(slug, plural, rank, types, first, heavy, columns)| Profile {
            slug: slug.into(),
            plural: plural.into(),
            rank,
            types: types.into(),
            first: first.into(),
            heavy: heavy.into(),
            columns: columns.into(),
        });
        let mut list: Vec<Profile> = ours.collect();
        let mut diagnostics = Vec::new();
        if let Some(text) = &options.profiles {
            match json::parse(text).map(|parsed| parsed.value) {
                Ok(Json::Object(given)) => {
                    for (slug, value) in given.iter().rev() {
                        match own(slug, value, &list) {
                            Some(profile) => list.insert(0, profile),
                            None => diagnostics.push(Diagnostic::warn(
                                "profile-ignored",
                                "A profile was left out: its name must be letters, digits and '_', and it needs 'types' (an array of Schema.org types) unless it changes one of ours.",
                            )),
                        }
                    }
                }
                _ => diagnostics.push(Diagnostic::warn(
                    "profile-ignored",
                    "The option 'profiles' must be an object of profiles by name; it was left out.",
                )),
            }
        }
        (Profiles { list, known: Vec::new() }, diagnostics)
    }

    /// The profile with this number.
    pub fn get(&self, number: u16) -> Option<&Profile> {
        self.list.get(usize::from(number))
    }

    /// The number of the profile for a thing; none where no type is Schema.org's.
    pub fn of(&mut self, entity: &Entity) -> Option<u16> {
        // `UserComments` is superseded by `InteractionCounter`; what pages say with it is a comment all the same.
        if !entity.values("commentText").is_empty() {
            return self.list.iter().position(|profile| profile.slug == "comment").map(|place| place as u16);
        }
        let mut best: Option<u16> = None;
        for name in &entity.types {
            let Some(number) = self.of_type(name) else { continue };
            let rank = |number: u16| self.get(number).map_or(0, |profile| profile.rank);
            if best.is_none_or(|best| rank(number) > rank(best)) {
                best = Some(number);
            }
        }
        best
    }

    fn of_type(&mut self, name: &Rc<str>) -> Option<u16> {
        if let Some((_, number)) = self.known.iter().find(|(known, _)| known == name) {
            return *number;
        }
        let number = self.find(name);
        self.known.push((name.clone(), number));
        number
    }

    fn find(&mut self, name: &str) -> Option<u16> {
        // A full IRI is another vocabulary's type, or none that Schema.org knows.
        if name.contains([':', '/']) {
            return schema_name(name).map(|_| self.add("thing", "things", 3, None));
        }
        let place = |list: &[Profile], name: &str| list.iter().position(|profile| among(&profile.types, name));
        // A superseded type that pages still use for what it was.
        if let Some(place) = place(&self.list, name).filter(|place| self.list.get(*place).is_some_and(|profile| !profile.slug.is_empty())) {
            return Some(place as u16);
        }
        let Some(own) = vocabulary::type_name(name) else {
            return Some(self.add("thing", "things", 3, None));
        };
        let found = core::iter::once(own).chain(vocabulary::ancestors(own)).find_map(|name| place(&self.list, name));
        match found.and_then(|place| self.list.get(place).map(|profile| (place, profile))) {
            Some((place, profile)) if !profile.slug.is_empty() || profile.rank == NEVER => Some(place as u16),
            found => {
                let model = found.map(|(_, profile)| profile.clone());
                let rank = if matches!(own, "Thing" | "Place") { PART } else { PLAIN };
                let slug = slug(own);
                Some(self.add(&slug, &[&slug, "s"].concat(), rank, model))
            }
        }
    }

    fn add(&mut self, slug: &str, plural: &str, rank: u8, model: Option<Profile>) -> u16 {
        if let Some(place) = self.list.iter().position(|profile| profile.slug == slug && profile.rank >= rank) {
            return place as u16;
        }
        let none = || Cow::Borrowed("");
        let model = model.unwrap_or(Profile {
            slug: none(),
            plural: none(),
            rank,
            types: none(),
            first: "name description".into(),
            heavy: none(),
            columns: "name description url".into(),
        });
        self.list.push(Profile { slug: String::from(slug).into(), plural: String::from(plural).into(), types: none(), ..model });
        (self.list.len() - 1) as u16
    }
}

/// A site's own profile.
fn own(slug: &str, value: &Json<'_>, ours: &[Profile]) -> Option<Profile> {
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 24 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if !plain(slug) {
        return None;
    }
    let names = |key: &str| -> Option<Cow<'static, str>> {
        let names: Vec<&str> = value.get(key)?.as_array()?.iter().filter_map(Json::as_str).filter(|name| !text::has(name, b' ')).collect();
        Some(names.join(" ").into())
    };
    let base = ours.iter().find(|profile| profile.slug == slug).cloned();
    let types = names("types").filter(|types| !types.is_empty());
    let base = match base {
        Some(base) => base,
        None => {
            types.as_ref()?;
            Profile {
                slug: String::from(slug).into(),
                plural: [slug, "s"].concat().into(),
                rank: 8,
                types: "".into(),
                first: "name description".into(),
                heavy: "".into(),
                columns: "name description url".into(),
            }
        }
    };
    Some(Profile {
        plural: value.get("plural").and_then(Json::as_str).filter(|name| plain(name)).map_or(base.plural, |name| String::from(name).into()),
        rank: value.get("rank").and_then(Json::as_usize).map_or(base.rank, |rank| rank.min(9) as u8),
        types: types.unwrap_or(base.types),
        first: names("first").unwrap_or(base.first),
        heavy: names("heavy").unwrap_or(base.heavy),
        columns: names("columns").unwrap_or(base.columns),
        slug: base.slug,
    })
}

/// A type's or property's name as words with `_` between them: `BreadcrumbList` → `breadcrumb_list`, `FAQPage` → `faq_page`.
pub fn slug(name: &str) -> String {
    let mut out = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let starts = letter.is_ascii_uppercase()
            && before
                .is_some_and(|before| !before.is_ascii_uppercase() || letters.get(at + 1).is_some_and(|after| after.is_ascii_lowercase()));
        if starts {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(profiles: &mut Profiles, types: &[&str]) -> Option<(String, u8)> {
        let entity = Entity {
            id: None,
            types: types.iter().map(|name| Rc::from(*name)).collect(),
            properties: Vec::new(),
            formats: Vec::new(),
            referrers: Vec::new(),
            element: (0, 0),
        };
        let number = profiles.of(&entity)?;
        profiles.get(number).map(|profile| (profile.slug.clone().into_owned(), profile.rank))
    }

    fn slug_of(types: &[&str]) -> Option<String> {
        kind(&mut Profiles::new(&Options::default()).0, types).map(|(slug, _)| slug)
    }

    #[test]
    fn the_nearest_profile_names_a_thing() {
        for (types, slug) in [
            (&["Product"][..], "product"),
            (&["Car"], "vehicle"),
            (&["NewsArticle"], "article"),
            (&["BlogPosting"], "article"),
            (&["DiscussionForumPosting"], "post"),
            (&["Restaurant"], "business"),
            (&["WebPage", "FAQPage"], "faq"),
            (&["MusicEvent"], "event"),
            (&["TVSeries"], "tv_series"),
            (&["TouristAttraction"], "tourist_attraction"),
            (&["https://schema.org/NoSuchType"], "thing"),
        ] {
            assert_eq!(slug_of(types).as_deref(), Some(slug), "{types:?}");
        }
        assert_eq!(slug_of(&["https://other.example/Product"]), None);
        assert_eq!(slug_of(&[]), None);
    }

    #[test]
    fn machinery_has_no_rank() {
        let mut profiles = Profiles::new(&Options::default()).0;
        for name in ["EntryPoint", "SearchAction", "PropertyValueSpecification", "ListItem", "QuantitativeValue", "OfferShippingDetails"] {
            assert_eq!(kind(&mut profiles, &[name]).map(|(_, rank)| rank), Some(NEVER), "{name}");
        }
        for name in ["ImageObject", "Offer", "PostalAddress", "BreadcrumbList", "WebSite", "WebPage"] {
            assert!(kind(&mut profiles, &[name]).is_some_and(|(_, rank)| rank <= PART), "{name}");
        }
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in
            [("BreadcrumbList", "breadcrumb_list"), ("FAQPage", "faq_page"), ("HowTo", "how_to"), ("recipeIngredient", "recipe_ingredient")]
        {
            assert_eq!(slug(name), words);
        }
    }

    #[test]
    fn a_site_s_profile_wins_and_a_bad_one_is_told() {
        let options = Options {
            profiles: Some(r#"{"hut": {"types": ["Campground"]}, "Bad name": {}, "product": {"first": ["sku"]}}"#.into()),
            ..Options::default()
        };
        let (mut profiles, diagnostics) = Profiles::new(&options);
        assert_eq!(kind(&mut profiles, &["Campground"]).map(|(slug, _)| slug).as_deref(), Some("hut"));
        let product = profiles.list.iter().find(|profile| profile.slug == "product").map(|profile| (&*profile.first, &*profile.types));
        assert_eq!(product.map(|(first, _)| first), Some("sku"));
        assert!(product.is_some_and(|(_, types)| types.contains("ProductGroup")), "what it leaves out is ours");
        assert_eq!(diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["profile-ignored"]);
    }
}
