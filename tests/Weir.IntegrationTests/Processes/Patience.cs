using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>Waits with an end: a test that hangs fails, and says where.</summary>
internal static class Patience
{
    public static Task WithinAsync(this Task task, double seconds) =>
        task.WaitAsync(TimeSpan.FromSeconds(seconds), TimeProvider.System, TestContext.Current.CancellationToken);

    public static Task<T> WithinAsync<T>(this Task<T> task, double seconds) =>
        task.WaitAsync(TimeSpan.FromSeconds(seconds), TimeProvider.System, TestContext.Current.CancellationToken);
}
