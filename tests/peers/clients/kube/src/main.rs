//! What a program with kube does all day: create, read, list in pages, watch, patch in four ways, write the status,
//! delete, and read errors as kube's own. The server is that of $KUBECONFIG. Each event must come within a minute.
use std::{fmt::Debug, time::Duration};

use anyhow::{bail, ensure, Context, Result};
use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::{conditions, wait::await_condition, watcher, WatchStreamExt};
use kube::{Api, Client, ResourceExt};
use serde_json::{json, Value};
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "default";

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "wheels.kube.example.com"},
        "spec": {
            "group": "kube.example.com", "scope": "Namespaced", "names": {"plural": "wheels", "kind": "Wheel"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"spokes": {"type": "integer", "minimum": 1}}},
                    "status": {"type": "object", "properties": {"turns": {"type": "integer"}}},
                }}},
            }],
        },
    })
}

/// The code of the answer that an error is; kube reads it as a Status.
fn check_code<T: Debug>(result: kube::Result<T>, code: u16, reason: &str) -> Result<()> {
    match result {
        Err(kube::Error::Api(status)) if status.code == code && status.reason == reason => {
            println!("{code} {reason}: {}", status.message);
            Ok(())
        }
        other => bail!("expected {code} {reason}, saw {other:?}"),
    }
}

async fn define(client: &Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition: CustomResourceDefinition = serde_json::from_value(definition())?;
    definitions.create(&PostParams::default(), &definition).await?;
    let name = definition.name_any();
    let established = await_condition(definitions, &name, conditions::is_crd_established());
    timeout(LIMIT, established).await.context("the definition is not Established")??;
    println!("defined");
    Ok(())
}

fn wheel(name: &str, spokes: i64) -> Result<DynamicObject> {
    Ok(serde_json::from_value(json!({
        "apiVersion": "kube.example.com/v1", "kind": "Wheel", "metadata": {"name": name}, "spec": {"spokes": spokes},
    }))?)
}

async fn expect(events: &mut (impl Stream<Item = watcher::Result<DynamicObject>> + Unpin), what: &str, spokes: i64) -> Result<()> {
    loop {
        let seen = timeout(LIMIT, events.next()).await.with_context(|| format!("{what}: nothing is seen"))?;
        let seen = seen.context("the watch has ended")??;
        if seen.name_any() == "a" && seen.data["spec"]["spokes"] == json!(spokes) {
            println!("watch: {what}");
            return Ok(());
        }
    }
}

async fn watch(wheels: &Api<DynamicObject>) -> Result<()> {
    let mut events = watcher(wheels.clone(), watcher::Config::default()).touched_objects().boxed();
    let params = PostParams::default();
    let mut made = wheels.create(&params, &wheel("a", 1)?).await?;
    expect(&mut events, "created", 1).await?;
    made.data["spec"]["spokes"] = json!(2);
    let replaced = wheels.replace("a", &params, &made).await?;
    expect(&mut events, "replaced", 2).await?;
    check_code(wheels.replace("a", &params, &made).await, 409, "Conflict")?;
    ensure!(wheels.get("a").await?.resource_version() == replaced.resource_version(), "read what was written");

    let mut deletions = watcher(wheels.clone(), watcher::Config::default().fields("metadata.name=a")).boxed();
    while !matches!(timeout(LIMIT, deletions.next()).await?.context("ended")??, watcher::Event::InitDone) {}
    wheels.delete("a", &DeleteParams::default()).await?;
    match timeout(LIMIT, deletions.next()).await?.context("ended")?? {
        watcher::Event::Delete(gone) => println!("watch: deleted {}", gone.name_any()),
        other => bail!("expected a deletion, saw {other:?}"),
    }
    Ok(())
}

async fn pages(wheels: &Api<DynamicObject>) -> Result<()> {
    for index in 0..5 {
        wheels.create(&PostParams::default(), &wheel(&format!("page-{index}"), 3)?).await?;
    }
    let mut params = ListParams::default().limit(2);
    let (mut names, mut count) = (Vec::new(), 0);
    loop {
        let page = wheels.list(&params).await?;
        ensure!(page.items.len() <= 2, "a page has at most two");
        names.extend(page.items.iter().map(ResourceExt::name_any));
        count += 1;
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    ensure!(names == ["page-0", "page-1", "page-2", "page-3", "page-4"] && count == 3, "pages: {names:?}");
    println!("{count} pages");
    Ok(())
}

async fn patches(wheels: &Api<DynamicObject>) -> Result<()> {
    let params = PatchParams::default();
    let merge = json!({"spec": {"spokes": 7}});
    ensure!(wheels.patch("page-0", &params, &Patch::Merge(&merge)).await?.data["spec"]["spokes"] == json!(7), "merge");
    let json: Patch<()> = Patch::Json(serde_json::from_value(json!([{"op": "replace", "path": "/spec/spokes", "value": 8}]))?);
    ensure!(wheels.patch("page-0", &params, &json).await?.data["spec"]["spokes"] == json!(8), "JSON patch");
    let apply = |spokes| json!({
        "apiVersion": "kube.example.com/v1", "kind": "Wheel", "metadata": {"name": "applied"}, "spec": {"spokes": spokes},
    });
    wheels.patch("applied", &PatchParams::apply("one"), &Patch::Apply(apply(4))).await?;
    check_code(wheels.patch("applied", &PatchParams::apply("two"), &Patch::Apply(apply(5))).await, 409, "Conflict")?;
    let forced = wheels.patch("applied", &PatchParams::apply("two").force(), &Patch::Apply(apply(5))).await?;
    ensure!(forced.managed_fields().iter().any(|entry| entry.manager.as_deref() == Some("two")), "two owns it");

    let status = json!({"status": {"turns": 12}});
    let turned = wheels.patch_status("applied", &params, &Patch::Merge(&status)).await?;
    ensure!(turned.data["status"]["turns"] == json!(12) && turned.data["spec"]["spokes"] == json!(5), "status");
    let ignored = wheels.patch("applied", &params, &Patch::Merge(&json!({"status": {"turns": 1}}))).await?;
    ensure!(ignored.data["status"]["turns"] == json!(12), "the status is written by its subresource only");
    println!("patched");
    Ok(())
}

async fn strategic(client: &Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "kube"}, "data": {"a": "1", "b": "2"}}))?;
    maps.create(&PostParams::default(), &map).await?;
    let patch = json!({"data": {"a": null, "c": "3"}});
    let data = maps.patch("kube", &PatchParams::default(), &Patch::Strategic(&patch)).await?.data.unwrap_or_default();
    ensure!(data.keys().collect::<Vec<_>>() == ["b", "c"], "strategic merge patch: {data:?}");
    maps.delete("kube", &DeleteParams::default()).await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    define(&client).await?;
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("kube.example.com", "v1", "Wheel"), "wheels");
    let wheels: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &resource);
    watch(&wheels).await?;
    pages(&wheels).await?;
    patches(&wheels).await?;
    strategic(&client).await?;
    check_code(wheels.get("absent").await, 404, "NotFound")?;
    check_code(wheels.create(&PostParams::default(), &wheel("page-0", 1)?).await, 409, "AlreadyExists")?;
    check_code(wheels.create(&PostParams::default(), &wheel("bad", 0)?).await, 422, "Invalid")?;
    wheels.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    ensure!(wheels.list(&ListParams::default()).await?.items.is_empty(), "all are gone");
    println!("passed");
    Ok(())
}
