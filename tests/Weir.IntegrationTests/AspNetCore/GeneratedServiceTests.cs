using System.Net;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.Generator.Tests.Behaviour;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Generated services, called over HTTP.</summary>
public sealed class GeneratedServiceTests
{
    [Theory]
    [InlineData("/Weather/Today?city=Taipei", "application/json", """{"date":"2026-01-31","temperatureC":6,"summary":"Taipei"}""")]
    [InlineData("/weather/TODAY/?CITY=a%20b+c", "application/json", """{"date":"2026-01-31","temperatureC":5,"summary":"a b c"}""")]
    [InlineData("/Weather/Next?days=2", "application/json", """[{"date":"2026-01-31","temperatureC":1,"summary":"0"},{"date":"2026-01-31","temperatureC":1,"summary":"1"}]""")]
    [InlineData("/Weather/Next.ndjson?days=1", "application/x-ndjson", "{\"date\":\"2026-01-31\",\"temperatureC\":1,\"summary\":\"0\"}\n")]
    [InlineData("/Weather/NextBlocking.sse?days=1", "text/event-stream", "id: 0\ndata: {\"date\":\"2026-01-31\",\"temperatureC\":1,\"summary\":\"0\"}\n\nid: $end\nevent: end\ndata: {\"count\":1}\n\n")]
    public async Task A_read_answers(string path, string mediaType, string body)
    {
        await using var host = await StartAsync();
        using var response = await host.Client.GetAsync(path, TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(mediaType, response.Content.Headers.ContentType?.ToString());
        Assert.Equal(body, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData("/Weather/Legacy", "application/json", """{"ms":7}""", 200, "done 7")]
    [InlineData("/Weather/Legacy", "application/x-www-form-urlencoded", "ms=8", 200, "done 8")]
    [InlineData("/Weather/Legacy.json?ms=9", "application/json", "", 200, "\"done 9\"")]
    [InlineData("/Weather/Total?factor=3", "application/json", """{"fruit":"orange","amounts":[1,2],"forecasts":[]}""", 200, "9")]
    [InlineData("/Weather/Forget", "application/json", """{"id":"00000000-0000-0000-0000-000000000001","fruit":"Grape","tags":["x"]}""", 204, "")]
    [InlineData("/Hasher/Hash", "image/png", "12345", 200, "5")]
    [InlineData("/Hasher/Blocks", "application/json", """{"n":3}""", 200, "[0,1,2]")]
    public async Task A_post_answers(string path, string mediaType, string body, int status, string answer)
    {
        await using var host = await StartAsync();
        using var content = new StringContent(body, Encoding.UTF8, mediaType);
        using var response = await host.Client.PostAsync(path, content, TestContext.Current.CancellationToken);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(answer, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }

    private static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = [new BehaviourCatalog()],
        Services = static builder => builder.Services.AddSingleton<IForecastSource, Source>(),
    });

    /// <summary>The two services of <c>Services.cs</c>, without the other services of this assembly.</summary>
    private sealed class BehaviourCatalog : ServiceCatalog
    {
        public override string AssemblyName => ApplicationCatalog.AssemblyName;

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services { get; } =
            [.. ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Services).Where(static service => service.Name is nameof(Weather) or nameof(Hasher))];

        public override IReadOnlyList<Proxy> Proxies => [];
    }

    private sealed class Source : IForecastSource
    {
        public Forecast Today(string city) => new(new DateOnly(2026, 1, 31), city.Length, city);
    }
}
