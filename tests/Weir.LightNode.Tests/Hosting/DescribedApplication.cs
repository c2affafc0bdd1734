using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>The same services under two prefixes, with their catalog and their OpenAPI document.</summary>
public sealed class DescribedApplication : LightNodeApplication
{
    private readonly Lazy<Task<string>> _document;

    public DescribedApplication()
        : base(null, static services => services.AddOpenApi().AddWeirOpenApi(), MapTwice) =>
        _document = new(() => Client.GetStringAsync(new Uri(Address, "/openapi/v1.json")));

    /// <summary>The document of OpenAPI, requested once: it has each operation of this project twice.</summary>
    internal Task<string> Document => _document.Value;

    private static void MapTwice(WebApplication app)
    {
        app.MapWeir("/v1");
        app.MapGroup("/v2").MapWeir();
        app.MapWeirCatalog().AllowAnonymous();
        app.MapOpenApi();
    }
}
