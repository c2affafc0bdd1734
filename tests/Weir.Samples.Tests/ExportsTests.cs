using System.Data.Common;
using Exports;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Samples.Tests;

public sealed class ExportsTests : IAsyncLifetime
{
    private readonly string _database = Path.Combine(Path.GetTempPath(), $"weir-exports-{Guid.NewGuid():N}.db");
    private readonly SeenCommands _commands = new();
    private readonly WebApplicationFactory<SalesContext> _application;

    public ExportsTests()
    {
        // The port of UseKestrel is not that of a factory made by WithWebHostBuilder, which would listen on 5000.
        _application = new WebApplicationFactory<SalesContext>().WithWebHostBuilder(host => host
            .UseUrls("http://127.0.0.1:0")
            .UseSetting("ConnectionStrings:Sales", $"Data Source={_database}")
            .ConfigureTestServices(services => services.ConfigureDbContext<SalesContext>(options => options.AddInterceptors(_commands))));
        _application.UseKestrel(0);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        File.Delete(_database);
    }

    [Fact]
    public async Task A_year_is_exported_as_lines_as_an_array_and_as_CSV()
    {
        using var client = _application.CreateClient();
        var lines = (await client.GetStringAsync(new Uri("/Sales/Year.ndjson?year=2026", UriKind.Relative), Cancel)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(10_000, lines.Length);
        Assert.Equal($"[{string.Join(',', lines)}]", await client.GetStringAsync(new Uri("/Sales/Year?year=2026", UriKind.Relative), Cancel));

        using var csv = await client.GetAsync(new Uri("/Sales/Csv?year=2025", UriKind.Relative), Cancel);
        Assert.Equal("text/csv", csv.Content.Headers.ContentType!.MediaType);
        var rows = (await csv.Content.ReadAsStringAsync(Cancel)).Split("\r\n", StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(("id,article,amount", "1,\"article 1\",1.0", 10_001), (rows[0], rows[1], rows.Length));
    }

    [Fact]
    public async Task A_client_that_disconnects_cancels_the_command_in_the_database()
    {
        using var client = _application.CreateClient();
        using (var scope = _application.Services.CreateScope())
        {
            // More than the buffers between server and client hold.
            await scope.ServiceProvider.GetRequiredService<SalesContext>().Database.ExecuteSqlRawAsync(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) INSERT INTO Sales (Year, Article, Amount) SELECT 1999, 'many', i FROM n", Cancel);
        }

        using (var response = await client.GetAsync(new Uri("/Sales/Year.ndjson?year=1999", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, Cancel))
        {
            await using var body = await response.Content.ReadAsStreamAsync(Cancel);
            Assert.True(await body.ReadAsync(new byte[100], Cancel) > 0);
        }

        var token = await _commands.Token.Task.WaitAsync(Cancel);
        var fired = new TaskCompletionSource();
        await using var registration = token.Register(fired.SetResult);
        await fired.Task.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
    }

    // The token of the first command that reads rows.
    private sealed class SeenCommands : DbCommandInterceptor
    {
        public TaskCompletionSource<CancellationToken> Token { get; } = new();

        public override ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(
            DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result, CancellationToken cancellationToken = default)
        {
            Token.TrySetResult(cancellationToken);
            return new(result);
        }
    }
}
