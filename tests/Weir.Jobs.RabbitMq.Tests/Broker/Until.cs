namespace Weir.Jobs.RabbitMq.Tests.Broker;

/// <summary>Waits for conditions.</summary>
internal static class Until
{
    /// <summary>Waits until a condition holds; fails after a minute.</summary>
    public static async Task TrueAsync(Func<Task<bool>> condition, string? what = null)
    {
        for (var attempt = 0; !await condition(); attempt++)
        {
            Assert.True(attempt < 1_200, what ?? "It did not happen within a minute.");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    /// <inheritdoc cref="TrueAsync(Func{Task{bool}}, string?)"/>
    public static Task TrueAsync(Func<bool> condition, string? what = null) => TrueAsync(() => Task.FromResult(condition()), what);
}
