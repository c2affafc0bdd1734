using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.IntegrationTests.Services;

/// <summary>Parameters whose source an attribute of ASP.NET Core chooses.</summary>
[Service(Route = "/sourced")]
public sealed class Sourced([FromKeyedServices("odd")] SourcedKey odd)
{
    [Get("{id}")]
    public string Read([FromRoute] int id, [FromQuery(Name = "id")] int? other, [FromHeader(Name = "X-Ids")] int[] ids, [FromHeader(Name = "X-Tenant")] string tenant) =>
        $"{id} {other} {string.Join('+', ids)} {tenant}";

    public string Json([FromBody] int count, [FromQuery] string? note, [FromHeader] string? tenant = "none") => $"{count} {note} {tenant}";

    public string Form([FromForm(Name = "first name")] string name, [FromForm] int[] numbers, int plain = 0) => $"{name} {string.Join('+', numbers)} {plain}";

    public string Keyed([FromKeyedServices(2)] SourcedKey two, [FromServices] IEnumerable<SourcedKey> none) => $"{odd.Text} {two.Text} {none.Count()}";
}

/// <summary>The same in a worker.</summary>
[Service]
public sealed class SourcedIsolated
{
    [Isolated(Kinds.Pool)]
    public string Join([FromHeader(Name = "X-Tenant")] string tenant, [FromQuery(Name = "n")] int[] numbers, [FromBody] string text) =>
        $"{tenant} {string.Join('+', numbers)} {text} {Environment.ProcessId}";
}

/// <summary>A service with a key.</summary>
/// <param name="Text">What it says.</param>
public sealed record SourcedKey(string Text);
