namespace Weir;

/// <summary>
/// Runs the operation in a worker process of the named pool. On a class: every operation of it. On an interface marked
/// <see cref="ServiceAttribute"/> that no class serves: workers in another language do, and the pool's options say by which command.
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
