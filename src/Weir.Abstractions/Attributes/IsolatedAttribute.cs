namespace Weir;

/// <summary>
/// Runs the operation in a worker process of the named pool. On a class: all its operations. On an interface marked
/// <see cref="ServiceAttribute"/> that no class serves: workers in another language serve it, and the pool's options have the command.
/// Arguments and results are copied across the process boundary.
/// </summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class IsolatedAttribute : Attribute
{
    /// <summary>Uses a pool named after the service.</summary>
    public IsolatedAttribute()
    {
    }

    /// <summary>Uses the named pool; operations that name the same pool share its workers.</summary>
    /// <param name="pool">The pool's name, compared without regard to case; configured under it.</param>
    public IsolatedAttribute(string pool) => Pool = pool;

    /// <summary>The pool's name; <c>null</c> means the service's name.</summary>
    public string? Pool { get; }
}
