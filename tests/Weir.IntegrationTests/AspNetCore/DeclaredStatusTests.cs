using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Exceptions that an operation or the application declares are answered with their status and message.</summary>
public sealed class DeclaredStatusTests
{
    [Theory]
    [InlineData("Inline", 409, "no tea is left", false)]
    [InlineData("Lane", 409, "no tea is left", false)]
    [InlineData("Worker", 409, "no tea is left", false)]
    [InlineData("Stream", 409, "no tea is left", false)]
    [InlineData("Stream.ndjson", 409, "no tea is left", false)]
    [InlineData("Undeclared", 500, null, true)]
    [InlineData("Unavailable", 503, "no tea is left", true)]
    [InlineData("Mapped", 404, "no such tea", false)]
    [InlineData("MappedByBase", 422, "no name", false)]
    [InlineData("MappedInWorker", 500, null, true)]
    public async Task An_exception_has_the_status_that_was_declared_for_it(string operation, int status, string? detail, bool isLogged)
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = static options => TestPools.StartOnDemand(options),
            Options = static options => options.MapException<KeyNotFoundException>(404).MapException<Exception>(418).MapException<ArgumentException>(422).MapException<RemoteException>(500).MapException<SoldOutException>(500),
        });

        using var response = await host.Client.GetAsync($"/Refusals/{operation}", cancellationToken);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(cancellationToken));
        Assert.Equal((status, "application/problem+json"), ((int)response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        if (detail is not null)
        {
            Assert.Equal((detail, WeirCodes.OperationStatus), (problem.RootElement.GetProperty("detail").GetString(), problem.RootElement.GetProperty("code").GetString()));
        }

        Assert.Equal(isLogged, host.Log.Lines.Any(static line => line.Category == "Weir.AspNetCore" && line.Level == LogLevel.Error));
    }

    [Fact]
    public void A_status_that_is_no_failure_and_exceptions_of_Weir_are_refused()
    {
        var options = new WeirServerOptions();
        Assert.Contains("from 400 to 599", Assert.Throws<ArgumentOutOfRangeException>(() => options.MapException<FormatException>(204)).Message, StringComparison.Ordinal);
        Assert.Contains("a status of its own", Assert.Throws<ArgumentException>(() => options.MapException<BadHttpRequestException>(422)).Message, StringComparison.Ordinal);
        Assert.Contains("Weir's own", Assert.Throws<ArgumentException>(() => options.MapException<DeadlineExceededException>(408)).Message, StringComparison.Ordinal);
    }
}
