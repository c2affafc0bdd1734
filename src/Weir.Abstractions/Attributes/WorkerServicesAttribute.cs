namespace Weir;

/// <summary>
/// Marks the one static method of an assembly that builds the services of its isolated classes inside a worker:
/// <c>internal static IServiceProvider Create(WorkerStartup startup)</c>. It runs once per worker, before READY.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class WorkerServicesAttribute : Attribute;
