using Microsoft.Extensions.DependencyInjection;

namespace Weir.Worker.Start;

/// <summary>
/// Resolves a service of Weir's own a few times after READY, beside the first call: at the second use of a constructor the runtime replaces
/// reflection by code, and what it needs for that is loaded then. The first call of a worker would wait for it (decision 26). No user code runs.
/// </summary>
internal sealed class ContainerWarmUp : IThreadPoolWorkItem
{
    // The first resolution was before READY, in another container; one more than the runtime counts.
    private const int Times = 3;

    public void Execute()
    {
        using var services = new ServiceCollection().AddSingleton<Dependency>().AddScoped<Dependent>().BuildServiceProvider();
        for (var i = 0; i < Times; i++)
        {
            using var scope = services.CreateScope();
            _ = scope.ServiceProvider.GetRequiredService<Dependent>();
        }
    }

    private sealed class Dependency;

    private sealed class Dependent(Dependency dependency)
    {
        public Dependency Dependency { get; } = dependency;
    }
}
