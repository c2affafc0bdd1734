using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Parameters whose source an attribute of ASP.NET Core chooses, over a real connection.</summary>
public sealed class SourceTests
{
    private const string Form = "application/x-www-form-urlencoded";
    private const string Json = "application/json";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("GET", "/sourced/5?id=6", "X-Ids: 1, 2;X-Ids: 3;X-Tenant: a b", null, null, "5 6 1+2+3 a b")]
    [InlineData("GET", "/sourced/5", "x-tenant: t", null, null, "5   t")]
    [InlineData("GET", "/sourced/5", "X-Ids: ,\"1\", , 2,;X-Tenant: \"a, b\"", null, null, "5  1+2 \"a, b\"")]
    [InlineData("POST", "/sourced/Json?note=x&count=9", "tenant: t", Json, " 7 ", "7 x t")]
    [InlineData("POST", "/sourced/Json", null, Json, "7", "7  none")]
    [InlineData("POST", "/sourced/Form?plain=3&numbers=9", null, Form, "First%20Name=a&numbers=1&numbers=2", "a 1+2 3")]
    [InlineData("POST", "/sourced/Form", null, Form, "first+name=b&plain=4", "b  4")]
    [InlineData("POST", "/sourced/Keyed", null, null, null, "1 2 0")]
    public async Task A_value_comes_from_its_source(string method, string path, string? headers, string? type, string? body, string expected)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, method, path, headers, type, body);
        Assert.Equal(expected, await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("GET", "/sourced/x?id=y", "X-Ids: 1, z", null, null, "X-Ids[1] header invalid;id route invalid;id query invalid;X-Tenant header missing")]
    [InlineData("GET", "/sourced/5", "X-Ids: 1, \"2;X-Tenant: a", null, null, "X-Ids header malformed")]
    [InlineData("GET", "/sourced/5", "X-Ids: 1, \"\";X-Tenant: a", null, null, "X-Ids[1] header invalid")]
    [InlineData("POST", "/sourced/Json?count=9", null, null, null, "count body missing")]
    [InlineData("POST", "/sourced/Json", null, Json, "\"x\"", "count body invalid")]
    [InlineData("POST", "/sourced/Form?first%20name=a", null, Form, "numbers=x", "numbers[0] form invalid;first name form missing")]
    public async Task What_is_wrong_names_the_source(string method, string path, string? headers, string? type, string? body, string expected)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, method, path, headers, type, body);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(expected.Split(';').Order(), problem.Errors().Order());
    }

    [Fact]
    public async Task A_form_is_the_only_body_of_an_operation_that_reads_one()
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, "POST", "/sourced/Form", null, Json, "{\"first name\":\"a\"}");
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, response.StatusCode);
    }

    [Fact]
    public async Task Arguments_of_an_isolated_operation_come_from_their_sources()
    {
        await using var host = await StartAsync(static app => app.MapWeirService<SourcedIsolated>());
        using var response = await SendAsync(host, "POST", "/SourcedIsolated/Join?n=1&n=2", "X-Tenant: t", Json, "\"text\"");
        var answer = await response.Content.ReadAsStringAsync(Cancel);
        Assert.StartsWith("t 1+2 text ", answer, StringComparison.Ordinal);
        Assert.NotEqual($"t 1+2 text {Environment.ProcessId}", answer);
    }

    [Fact]
    public async Task A_filter_sees_the_service_with_the_key_of_the_parameter()
    {
        var seen = "";
        await using var host = await StartAsync(app => app.MapWeirService<Sourced>().AddEndpointFilter((context, next) =>
        {
            seen = context.GetArgument<SourcedKey>(0).Text;
            return next(context);
        }));
        using var response = await SendAsync(host, "POST", "/sourced/Keyed", null, null, null);
        Assert.Equal(("2", "1 2 0"), (seen, await response.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task A_prefix_may_have_a_value_of_any_name()
    {
        await using var host = await StartAsync(static app => app.MapGroup("/{operation}").MapWeirService<Sourced>());
        using var keyed = await SendAsync(host, "POST", "/any/sourced/Keyed", null, null, null);
        Assert.Equal("1 2 0", await keyed.Content.ReadAsStringAsync(Cancel));
        using var unknown = await SendAsync(host, "POST", "/any/sourced/None/at/all", null, null, null);
        await unknown.ReadProblemAsync(404, WeirCodes.OperationNotFound);
    }

    [Fact]
    public async Task A_value_of_a_path_that_has_none_stops_the_start()
    {
        var operation = Probe.Result("Read", ResultKind.Text, static (arguments, _) => arguments["tenant"], [new Parameter("tenant", "string", ParameterSource.Route, false)], Verbs.Get);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WeirHost.StartAsync(operation));
        Assert.Contains("Probe/Read takes 'tenant' from the path ([FromRoute]), and '/Probe/Read' has no '{tenant}'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_was_declared_is_in_the_description()
    {
        var read = ApplicationCatalog.Catalogs.SelectMany(static one => one.Services).Single(static one => one.Name == "Sourced").Operations.Single(static one => one.Name == "Read");
        Assert.Equal(
            ["id id Route Int32 False False", "other id Query Nullable`1 True False", "ids X-Ids Header Int32[] True True", "tenant X-Tenant Header String False False"],
            read.Parameters.Select(static one => $"{one.Name} {one.WireName} {one.Source} {one.Type!().Name} {one.IsOptional} {one.IsList}"));
        var json = read.Service.Operations.Single(static one => one.Name == "Json");
        Assert.Equal([null, null, "none"], json.Parameters.Select(static one => one.DefaultValue));
    }

    private static Task<WeirHost> StartAsync(Action<WebApplication>? map = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Prefix = null,
        Weir = static options => TestPools.StartOnDemand(options),
        Services = static builder => builder.Services.AddKeyedSingleton("odd", new SourcedKey("1")).AddKeyedSingleton(2, new SourcedKey("2")),
        After = (app, _) => (map ?? (static one => one.MapWeirService<Sourced>()))(app),
    });

    private static async Task<HttpResponseMessage> SendAsync(WeirHost host, string method, string path, string? headers, string? type, string? body)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        foreach (var header in headers?.Split(';') ?? [])
        {
            var colon = header.IndexOf(':', StringComparison.Ordinal);
            request.Headers.TryAddWithoutValidation(header[..colon], header[(colon + 1)..].Trim());
        }

        if (body is not null)
        {
            request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            request.Content.Headers.TryAddWithoutValidation("Content-Type", type);
        }

        return await host.Client.SendAsync(request, Cancel);
    }
}
