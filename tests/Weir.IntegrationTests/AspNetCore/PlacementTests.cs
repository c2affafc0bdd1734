using System.Net;
using System.Text;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Where an operation runs changes nothing of what its caller sees: status, headers, null, absent arguments.</summary>
public sealed class PlacementTests : IAsyncLifetime
{
    private static readonly string[] Services = ["InlineSurface", "LaneSurface", "IsolatedSurface"];

    private WeirHost _host = null!;

    public static TheoryData<string> Placements => [.. Services];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _host = await WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options, static pool => pool.MaxWorkers = 1),
    });

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Theory]
    [MemberData(nameof(Placements))]
    public async Task The_status_and_headers_that_an_operation_chooses_reach_its_caller(string service)
    {
        using var chosen = await _host.Client.PostAsync($"/{service}/Chosen?status=201&name=X-A&value=b", null, Cancel);
        Assert.Equal((HttpStatusCode.Created, "b", "chosen"), (chosen.StatusCode, Header(chosen, "X-A"), await chosen.Content.ReadAsStringAsync(Cancel)));

        using var empty = await _host.Client.PostAsync($"/{service}/ChosenWithoutValue", null, Cancel);
        Assert.Equal((HttpStatusCode.Accepted, "b", ""), (empty.StatusCode, Header(empty, "X-A"), await empty.Content.ReadAsStringAsync(Cancel)));
    }

    [Theory]
    [InlineData("status=99&name=X-A&value=b")]
    [InlineData("status=600&name=X-A&value=b")]
    [InlineData("status=201&name=X%20A&value=b")]
    [InlineData("status=201&name=X-A&value=b%0Ac")]
    [InlineData("status=201&name=X-A&value=b%01c")]
    [InlineData("status=201&name=Content-Length&value=1")]
    public async Task What_cannot_stand_in_a_response_fails_its_call_and_no_other(string query)
    {
        foreach (var service in Services)
        {
            using var failed = await _host.Client.PostAsync($"/{service}/Chosen?{query}", null, Cancel);
            Assert.Equal(HttpStatusCode.InternalServerError, failed.StatusCode);
            Assert.False(failed.Headers.Contains("X-A"));

            using var next = await _host.Client.PostAsync($"/{service}/Ids", null, Cancel);
            Assert.Equal(HttpStatusCode.OK, next.StatusCode);
        }
    }

    [Theory]
    [InlineData("InlineSurface", 0)]
    [InlineData("InlineSurface", 3)]
    [InlineData("LaneSurfaceStream", 0)]
    [InlineData("LaneSurfaceStream", 3)]
    [InlineData("IsolatedSurfaceStream", 0)]
    [InlineData("IsolatedSurfaceStream", 3)]
    public async Task They_leave_with_the_first_item_of_a_stream_or_with_its_end(string service, int count)
    {
        using var response = await _host.Client.PostAsync($"/{service}/Items.json?count={count}", null, Cancel);

        Assert.Equal((HttpStatusCode.PartialContent, "b"), (response.StatusCode, Header(response, "X-A")));
        Assert.Equal(count == 0, response.Headers.Contains("X-Late"));
        Assert.Equal(count == 0 ? "[]" : """["0","1","2"]""", (await response.Content.ReadAsStringAsync(Cancel)).Replace("\n", "", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_code_caller_is_not_affected()
    {
        await using var application = new Application();
        Assert.Equal("chosen", await application.Get<IIsolatedSurfaceClient>().Chosen(201, "X-A", "b", Cancel));
    }

    [Theory]
    [InlineData("Ids", "", null, "null")]
    [InlineData("Ids", "?ids=1&ids=2", null, "[2]")]
    [InlineData("Ids", "", "{}", "null")]
    [InlineData("Ids", "", """{"ids":null}""", "null")]
    [InlineData("Ids", "", """{"ids":[]}""", "[0]")]
    [InlineData("Names", "", null, "null")]
    [InlineData("Names", "", """{"names":null}""", "null")]
    [InlineData("Names", "", """{"names":["a",""]}""", "[2]")]
    [InlineData("Needed", "", null, "[0]")]
    [InlineData("Needed", "", """{"ids":[]}""", "[0]")]
    [InlineData("Needed", "", "{}", "400 ids request missing")]
    [InlineData("Needed", "", """{"ids":null}""", "400 ids body null")]
    [InlineData("Needed", "?ids=1", "{}", "[1]")]
    public async Task An_absent_list_is_null_where_it_may_be_and_otherwise_empty_but_in_JSON(string operation, string query, string? json, string expected)
    {
        foreach (var service in Services)
        {
            Assert.Equal(expected, await PostAsync($"/{service}/{operation}{query}", json is null ? null : Json(json)));
        }
    }

    [Fact]
    public async Task Absent_bytes_are_null_where_they_may_be()
    {
        foreach (var service in Services)
        {
            foreach (var operation in (string[])["Size", "Length"])
            {
                Assert.Equal("null", await PostAsync($"/{service}/{operation}", null));
                Assert.Equal("[0]", await PostAsync($"/{service}/{operation}", Bytes()));
                Assert.Equal("[3]", await PostAsync($"/{service}/{operation}", Bytes(1, 2, 3)));
                Assert.Equal("[2]", await PostAsync($"/{service}/{operation}?data=AQI%3D", null));
            }
        }
    }

    [Theory]
    [InlineData("Echo", """{"number":1}""", """{"name":null,"tags":null,"children":null,"number":1}""")]
    [InlineData("Echo", """{"name":"a","tags":["b"],"children":[{"number":2}],"number":1}""", """{"name":"a","tags":["b"],"children":[{"name":null,"tags":null,"children":null,"number":2}],"number":1}""")]
    [InlineData("Echo", """{"name":null,"number":1}""", "400 value.name body null")]
    [InlineData("Make", null, """{"name":null,"tags":null,"children":null,"number":0}""")]
    [InlineData("Nothing", null, "null")]
    [InlineData("NoBytes", null, "null")]
    [InlineData("Note?number=3", null, """{"number":3}""")]
    [InlineData("Some", null, """["a",null]""")]
    public async Task A_null_passes_between_host_and_worker_as_it_passes_inline(string operation, string? json, string expected)
    {
        foreach (var service in Services)
        {
            Assert.Equal(expected, await PostAsync($"/{service}/{operation}", json is null ? null : Json(json)));
        }
    }

    [Theory]
    [InlineData("Text", "{}", "null")]
    [InlineData("Text", """{"text":"a"}""", "a")]
    [InlineData("Texts", """{"texts":["a",null]}""", """["a",null]""")]
    [InlineData("Texts", "{}", "null")]
    [InlineData("Echo", """{"name":null,"number":1}""", """{"name":null,"tags":null,"number":1}""")]
    [InlineData("Echo", "null", "null")]
    [InlineData("Bytes", null, "null")]
    [InlineData("Nothing", null, "null")]
    public async Task Without_nullable_annotations_everything_that_is_no_value_type_may_be_null(string operation, string? json, string expected)
    {
        foreach (var service in (string[])["InlineUnannotated", "IsolatedUnannotated"])
        {
            Assert.Equal(expected, await PostAsync($"/{service}/{operation}", json is null ? null : Json(json)));
        }
    }

    [Fact]
    public async Task A_code_caller_gets_the_nulls_too()
    {
        await using var application = new Application();
        var surface = application.Get<IIsolatedSurfaceClient>();
        Assert.Null((await surface.Make(Cancel)).Name);
        Assert.Null((await surface.Echo(new Entity(), Cancel)).Tags);
        Assert.Null(await surface.Nothing(Cancel));
        Assert.Equal("null", await surface.Ids(null, Cancel));
        Assert.Equal("null", await application.Get<IInlineSurfaceClient>().Ids(null, Cancel));
        Assert.Null(await application.Get<IIsolatedUnannotatedClient>().Bytes(null, Cancel));
    }

    private static StringContent Json(string json) => new(json, Encoding.UTF8, "application/json");

    private static ByteArrayContent Bytes(params byte[] bytes) => new(bytes) { Headers = { ContentType = new("application/octet-stream") } };

    private static string? Header(HttpResponseMessage response, string name) => response.Headers.TryGetValues(name, out var values) ? string.Join(',', values) : null;

    private async Task<string> PostAsync(string path, HttpContent? content)
    {
        using var response = await _host.Client.PostAsync(path, content, Cancel);
        if (response.StatusCode != HttpStatusCode.BadRequest)
        {
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            return await response.Content.ReadAsStringAsync(Cancel);
        }

        return "400 " + string.Join(' ', (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
    }
}
