using System.Text.Json.Nodes;

namespace Weir.OpenApi.Tests;

/// <summary>The operations of a document, in the order of their routes.</summary>
internal static class Operations
{
    /// <summary>Those of the application of these tests.</summary>
    internal static IReadOnlyList<(string Route, string Id)> Expected { get; } = Sorted(
    [
        ("GET /pizzas/{id}", "Kitchen_Find"), ("PUT /pizzas/{id}", "Kitchen_Replace"), ("POST /pizzas", "Kitchen_Add"), ("POST /Kitchen/Create", "Kitchen_Create"),
        ("POST /Kitchen/Total", "Kitchen_Total"), ("POST /Kitchen/Describe", "Kitchen_Describe"), ("POST /Kitchen/Order", "Kitchen_Order"),
        ("POST /Kitchen/Labelled", "Kitchen_Labelled"), ("POST /Kitchen/Posted", "Kitchen_Posted"),
        ("POST /Kitchen/Show", "Kitchen_Show"), ("POST /Kitchen/Menu", "Kitchen_Menu"), ("POST /Kitchen/Scan", "Kitchen_Scan"), ("GET /Kitchen/Look", "Kitchen_Look"),
        ("POST /Kitchen/Forget", "Kitchen_Forget"), ("DELETE /Kitchen/Remove", "Kitchen_Remove"), ("GET /Kitchen/All", "Kitchen_All"),
        ("POST /Kitchen/Sum", "Kitchen_Sum"), ("POST /Kitchen/Upload", "Kitchen_Upload"), ("GET /Kitchen/Download", "Kitchen_Download"),
        ("GET /Kitchen/Maybe", "Kitchen_Maybe"), ("GET /Kitchen/Scale", "Kitchen_Scale"), ("POST /Kitchen/Scale", "Kitchen_Scale_Post"),
        ("GET /Kitchen/Secret", "Kitchen_Secret"), ("GET /Names/Named", "NamedByItsAttribute"), ("POST /Kitchen/Bake", "Kitchen_Bake"),
        ("GET /Labels/Query", "Labels_Query"), ("POST /Labels/Member", "Labels_Member"), ("POST /Labels/Header", "Labels_Header"), ("POST /Labels/Field", "Labels_Field"),
        ("GET /tags/{tag}", "Labels_Route"), ("GET /Labels/Show", "Labels_Show"), ("POST /Labels/Whole", "Labels_Whole"), ("GET /Labels/Lines", "Labels_Lines"),
        ("POST /Labels/Take", "Labels_Take"), ("GET /Labels/Bytes", "Labels_Bytes"), ("GET /Labels/Memory", "Labels_Memory"), ("GET /Labels/Content", "Labels_Content"),
        ("GET /Labels/Text", "Labels_Text"),
        ("POST /Scans/Convert", "Scans_Convert"), ("POST /Scans/Print", "Scans_Print"), ("GET /Scans/Thumbnail", "Scans_Thumbnail"), ("GET /Scans/Raw", "Scans_Raw"),
    ]);

    internal static IReadOnlyList<(string Route, string Id)> Of(JsonNode document) => Sorted(
        document["paths"]!.AsObject().SelectMany(static path => path.Value!.AsObject(), static (path, operation) =>
            ($"{operation.Key.ToUpperInvariant()} {path.Key}", operation.Value!["operationId"]?.GetValue<string>() ?? "")));

    private static IReadOnlyList<(string Route, string Id)> Sorted(IEnumerable<(string Route, string Id)> operations) =>
        [.. operations.OrderBy(static one => one.Route, StringComparer.Ordinal)];
}
