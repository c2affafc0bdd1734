using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.LightNode.Tests.Contracts;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>The same application with filters around every operation: attributes, lambdas, and classes of the container.</summary>
public sealed class FilteredApplication : LightNodeApplication
{
    public FilteredApplication()
        : base(AddFilters, AddFilterServices)
    {
    }

    private static void AddFilters(WeirOptions options)
    {
        // Neither the order in which they are added nor their kind decides.
        options.Filters.Add(new MarkAttribute("Global2") { Order = 1000 });
        options.Filters.Add(
            static (context, next) =>
            {
                Marks.Add(context, "Global1");
                context.Items["from"] = "a filter";
                context.Headers["X-Operation"] = $"{((HttpContext)context.Transport!).Request.Method} {context.Operation}";
                context.Headers["X-Attributes"] = string.Join(
                    ' ', context.Operation.Attributes.OfType<LabelAttribute>().Select(static one => one.Message).Concat(context.Operation.Attributes.OfType<MobileOnlyAttribute>().Select(static _ => "mobile")));
                return next();
            },
            order: -1000);
        options.Filters.Add(static (context, next) =>
        {
            Marks.Add(context, "GA");
            return next();
        });
        options.Filters.Add(new MarkAttribute("GB"));
    }

    private static void AddFilterServices(IServiceCollection services) =>
        services.AddSingleton<IOperationFilter, OriginFilter>().AddSingleton<IOperationFilter, UnorderedFilter>();

    private sealed class OriginFilter(Origin origin) : IOperationFilter
    {
        public int Order => 500;

        public ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            Marks.Add(context, $"Container of {origin.Text}");
            return next();
        }
    }

    private sealed class UnorderedFilter : IOperationFilter
    {
        public ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            Marks.Add(context, "Container");
            return next();
        }
    }
}
