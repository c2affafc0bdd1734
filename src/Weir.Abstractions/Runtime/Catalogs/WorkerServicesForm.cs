using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>The form of an assembly's <see cref="WorkerServicesAttribute"/> method.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum WorkerServicesForm
{
    /// <summary>There is no such method.</summary>
    None,

    /// <summary>It builds the services: <c>IServiceProvider Create(WorkerStartup startup)</c>.</summary>
    Provider,

    /// <summary>It registers the services: <c>void Configure(IServiceCollection services, WorkerStartup startup)</c>.</summary>
    Collection,
}
