using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.AspNetCore.Filters;

/// <summary>
/// The method of an operation as endpoint filters see it. One of two places in Weir that use reflection: ASP.NET Core passes a
/// <see cref="MethodInfo"/> to the factory of a filter. It comes from a delegate that the generator wrote, nothing is searched by name.
/// </summary>
internal static class OperationMethod
{
    /// <summary>The method.</summary>
    internal static MethodInfo Of(Operation operation) => (operation.Method?.Invoke() ?? Unknown).Method;

    /// <summary>Its parameters, in order: the type, and the key of a service that is asked for by one.</summary>
    internal static (Type Type, object? Key)[] Parameters(MethodInfo method) =>
        Array.ConvertAll(method.GetParameters(), static one => (one.ParameterType, one.GetCustomAttribute<FromKeyedServicesAttribute>()?.Key));

    // An operation that the generator did not write.
    private static void Unknown()
    {
    }
}
