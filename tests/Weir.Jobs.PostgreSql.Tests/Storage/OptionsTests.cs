using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

public sealed class OptionsTests(PostgreSqlServer server)
{
    [Fact]
    public async Task A_server_that_cannot_be_reached_is_an_error_with_its_place_and_the_next_step()
    {
        await using var store = Store(new WeirJobsOptions().UsePostgreSql("Host=127.0.0.1;Port=1;Username=weir;Password=secret;Database=jobs"));
        var error = await Assert.ThrowsAsync<InvalidOperationException>(async () => await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), TestContext.Current.CancellationToken));
        Assert.StartsWith("WEIR3027: ", error.Message, StringComparison.Ordinal);
        Assert.Contains("127.0.0.1:1, database 'jobs'", error.Message, StringComparison.Ordinal);
        Assert.Contains("Start the server, or correct the connection string of jobs.UsePostgreSql(…). See WEIR3027.", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("MaxKept")]
    [InlineData("MaxKeptFailed")]
    [InlineData("MaxKeptBytes")]
    public void Numbers_of_jobs_that_are_kept_are_refused(string name)
    {
        var options = new WeirJobsOptions { MaxKept = name == "MaxKept" ? 5 : 1_000_000, MaxKeptFailed = name == "MaxKeptFailed" ? null : 100_000 };
        options.MaxKeptBytes = name == "MaxKeptBytes" ? null : options.MaxKeptBytes;
        options.UsePostgreSql(server.ConnectionString);
        var error = Assert.Throws<InvalidOperationException>(() => Store(options));
        Assert.Contains($"Weir:Jobs:{name} is set", error.Message, StringComparison.Ordinal);
        Assert.Contains($"remove Weir:Jobs:{name}.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Jobs")]
    [InlineData("1jobs")]
    [InlineData("jobs;drop")]
    [InlineData("")]
    public void A_schema_that_needs_quotes_is_refused(string schema) =>
        Assert.Contains($"Schema is '{schema}'", Assert.Throws<ArgumentOutOfRangeException>(() => new WeirJobsOptions().UsePostgreSql("Host=h", options => options.Schema = schema)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData(0.9)]
    [InlineData(601)]
    public void A_lease_that_may_not_be_is_refused(double seconds) => Assert.Contains(
        "use 1 s to 10 min", Assert.Throws<ArgumentOutOfRangeException>(() => new WeirJobsOptions().UsePostgreSql("Host=h", options => options.Lease = TimeSpan.FromSeconds(seconds))).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("nonsense")]
    [InlineData("Colour=red")]
    [InlineData("Username=me")]
    public void A_connection_string_that_is_none_is_refused(string text) => Assert.Throws<ArgumentException>(() => new WeirJobsOptions().UsePostgreSql(text));

    private static IJobStore Store(WeirJobsOptions options) => options.Store!(new ServiceCollection().BuildServiceProvider());
}
