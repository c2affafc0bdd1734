namespace Weir;

/// <summary>
/// Marks the one static method of an assembly that registers the services of its isolated classes inside a worker:
/// <c>internal static void Configure(IServiceCollection services, WorkerStartup startup)</c>. Configuration, options and loggers are registered
/// before it runs. It runs once per worker, before the worker accepts calls, and only in pools in which a class needs services. A method
/// <c>internal static IServiceProvider Create(WorkerStartup startup)</c> builds the container itself.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class WorkerServicesAttribute : Attribute;
