namespace Weir.Lab.Contenders.OnWeir;

/// <summary>What a worker of the lab was given when it started, and all that its services need.</summary>
public sealed class WorkerConfiguration : IServiceProvider
{
    private readonly IReadOnlyDictionary<string, string> _values;

    private WorkerConfiguration(IReadOnlyDictionary<string, string> values) => _values = values;

    /// <summary>A value, or nothing.</summary>
    public string this[string key] => _values.GetValueOrDefault(key, "");

    public object? GetService(Type serviceType) => serviceType == typeof(WorkerConfiguration) ? this : null;

    [WorkerServices]
    internal static IServiceProvider Create(WorkerStartup startup) => new WorkerConfiguration(startup.Configuration);
}
