using System.Net;
using IsolatedWork;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Samples.Tests;

public sealed class IsolatedWorkTests : IAsyncLifetime
{
    private readonly WebApplicationFactory<Renderer> _application = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task A_worker_renders_with_the_configuration_it_inherits()
    {
        using var client = _application.CreateClient();
        var weir = _application.Services.GetRequiredService<WeirRuntime>();
        Assert.Empty(weir.Pools.Single().Workers);

        Assert.Equal("page 1\npage 2", await client.GetStringAsync(new Uri("/Renderer/Render?pages=2", UriKind.Relative), Cancel));
        Assert.NotEmpty(weir.Pools.Single().Workers);
    }

    [Fact]
    public async Task A_document_that_breaks_the_renderer_fails_alone()
    {
        using var client = _application.CreateClient();
        using var broken = await client.PostAsync(new Uri("/Renderer/Broken", UriKind.Relative), null, Cancel);
        Assert.Equal(HttpStatusCode.BadGateway, broken.StatusCode);
        Assert.Equal("""{"rendered":20,"failed":0}""", await client.GetStringAsync(new Uri("/batch?documents=20", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task A_document_that_never_ends_is_killed_after_its_caller_has_left()
    {
        using var client = _application.CreateClient();
        using var leaving = new CancellationTokenSource(TimeSpan.FromMilliseconds(500));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await client.PostAsync(new Uri("/Renderer/Endless", UriKind.Relative), null, leaving.Token));
        Assert.Equal("""["page 1","page 2"]""", await client.GetStringAsync(new Uri("/Renderer/Pages?pages=2", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task Under_RunInline_the_test_process_renders_and_no_worker_starts()
    {
        await using var inline = _application.WithWebHostBuilder(static host => host.UseSetting("Weir:RunInline", "true").UseSetting("Render:Footer", "sheet"));
        using var client = inline.CreateClient();

        Assert.Equal("sheet 1", await client.GetStringAsync(new Uri("/Renderer/Render?pages=1", UriKind.Relative), Cancel));
        Assert.Empty(inline.Services.GetRequiredService<WeirRuntime>().Pools);
    }
}
