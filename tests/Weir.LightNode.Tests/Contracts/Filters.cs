using System.Globalization;

namespace Weir.LightNode.Tests.Contracts;

/// <summary>What filters leave in the response: the names of those that ran, the outermost first.</summary>
internal static class Marks
{
    internal const string Header = "X-Filters";

    internal static void Add(OperationContext context, string name) =>
        context.Headers[Header] = context.Headers.TryGetValue(Header, out var names) ? $"{names}, {name}" : name;
}

/// <summary>Leaves its name and calls the next one.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public sealed class MarkAttribute(string name) : OperationFilterAttribute
{
    public string Name => name;

    public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        Marks.Add(context, name);
        return next();
    }
}

/// <summary>Catches every exception: the answer is 404.</summary>
public sealed class Contract1Attribute : OperationFilterAttribute
{
    public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        Marks.Add(context, "Contract1");
        try
        {
            await next();
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            context.StatusCode = 404;
        }
    }
}

/// <summary>Does not call the next one: sets no result, a result, or a status, as the argument says.</summary>
public sealed class SkipAttribute : OperationFilterAttribute
{
    public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        switch (context.GetArgument("x"))
        {
            case 1:
                context.Result = 7;
                break;
            case 2:
                context.StatusCode = 410;
                break;
        }

        return default;
    }
}

/// <summary>Replaces arguments before the operation, and its result afterwards.</summary>
public sealed class RecalculateAttribute : OperationFilterAttribute
{
    public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        context.SetArgument("X", (int)context.GetArgument(0)! + 100);
        context.SetArgument("y", context.GetArgument("Y") + "!!");
        await next();
        context.Headers["X-Result"] = string.Create(CultureInfo.InvariantCulture, $"{context.Result}");
        context.Result = (int)context.Result! + 1000;
    }
}

/// <summary>Counts its own calls: one instance serves all of them.</summary>
public sealed class CountAttribute : OperationFilterAttribute
{
    private int _calls;

    public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        context.Headers["X-Count"] = Interlocked.Increment(ref _calls).ToString(CultureInfo.InvariantCulture);
        return next();
    }
}

/// <summary>No filter: filters ask for it.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class LabelAttribute(string message) : Attribute
{
    public string Message => message;
}

/// <summary>No filter: filters ask for it.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MobileOnlyAttribute : Attribute;
