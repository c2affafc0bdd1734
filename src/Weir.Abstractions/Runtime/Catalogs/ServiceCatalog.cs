using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>The services of one assembly, as the generator found them. Immutable; may be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ServiceCatalog
{
    /// <summary>The assembly's simple name.</summary>
    public abstract string AssemblyName { get; }

    /// <summary>Identifies the compiled assembly: a rebuilt one has another identity.</summary>
    public abstract Guid Identity { get; }

    /// <summary>The services it declares and serves.</summary>
    public abstract IReadOnlyList<Service> Services { get; }

    /// <summary>
    /// Those of them that may have operations in a pool. A generated catalog makes no others: the other services of its assembly do
    /// not delay the start of a worker. All of them, unless overridden.
    /// </summary>
    /// <param name="pool">The pool's name, without regard to case.</param>
    public virtual IReadOnlyList<Service> ServicesOf(string pool) => Services;

    /// <summary>Its typed proxies.</summary>
    public abstract IReadOnlyList<Proxy> Proxies { get; }

    /// <summary>Classes that implement a contract and are not marked, so that nothing serves them: of each the contract and the class. None, unless overridden.</summary>
    public virtual IReadOnlyList<KeyValuePair<string, string>> Unmarked => [];

    /// <summary>Makes what the serializer has to know about the types of its operations; nothing, unless overridden.</summary>
    public virtual CatalogJson CreateJson() => new();

    /// <summary>Which form the assembly's <see cref="WorkerServicesAttribute"/> method has.</summary>
    public virtual WorkerServicesForm WorkerServicesForm => WorkerServicesForm.None;

    // Objects in both signatures: to compare a signature with its override loads the types in it, also in workers that need no services.

    /// <summary>Builds the services of isolated classes inside a worker, by a method of the form <see cref="WorkerServicesForm.Provider"/>; <c>null</c> when there is none.</summary>
    /// <param name="startup">The worker's <see cref="WorkerStartup"/>.</param>
    public virtual IServiceProvider? CreateWorkerServices(object startup) => null;

    /// <summary>Registers the services of isolated classes inside a worker, by a method of the form <see cref="WorkerServicesForm.Collection"/>; nothing when there is none.</summary>
    /// <param name="services">The worker's <c>IServiceCollection</c>.</param>
    /// <param name="startup">The worker's <see cref="WorkerStartup"/>.</param>
    public virtual void ConfigureWorkerServices(object services, object startup)
    {
    }
}
