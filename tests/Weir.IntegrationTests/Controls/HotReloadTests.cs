using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.Execution;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>Changes of the code while the process runs: each running host of this process logs them, which other tests would find in their logs.</summary>
[Collection(nameof(Alone))]
public class HotReloadTests
{
    [Fact]
    public async Task A_hot_reload_is_logged_with_the_call_that_replaces_the_workers()
    {
        using var log = new RecordedLog();
        await using var pool = new ControlledPool(static _ => { }, services => services.AddSingleton<ILoggerFactory>(log));
        HotReload.UpdateApplication(null);
        var record = Assert.Single(log.Records, static record => record.Id.Id == 4318);
        Assert.Equal(LogLevel.Warning, record.Level);
        Assert.Contains("controlled", record.Text, StringComparison.Ordinal);
        Assert.Contains("WeirRuntime.ReloadAsync()", record.Text, StringComparison.Ordinal);

        // Workers of a pool whose program is another one do not run this code.
        Assert.DoesNotContain("foreign", record.Text, StringComparison.Ordinal);
    }
}
