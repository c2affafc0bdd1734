using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>What the arguments and the result of one request are in; the request that owns it is pooled. Not for concurrent use.</summary>
/// <param name="serializer">For values that generated code cannot read or write.</param>
internal sealed class CallBuffers(JsonValueSerializer? serializer = null)
{
    // Bytes of each of the two: larger ones go back to the array pool after each request, so that the thousand that are kept hold 16 MB at most.
    private const int LargestKept = 8 * 1024;

    private char[] _form = [];

    /// <summary>Whether the operation reads the body while it runs.</summary>
    internal bool IsBodyLent { get; private set; }

    /// <summary>Whether an operation that failed may still read the body: then it is left to the garbage collector.</summary>
    internal bool IsAbandoned { get; private set; }

    /// <summary>The arguments.</summary>
    internal HttpArgumentReader Arguments { get; } = new(serializer);

    /// <summary>The request's body.</summary>
    internal PayloadWriter Body { get; } = new();

    /// <summary>The response's body.</summary>
    internal PayloadWriter Output { get; } = new() { Serializer = serializer, MayIndent = true };

    /// <summary>The request's services, for a call that may need none.</summary>
    internal RequestServices Services { get; private set; } = new();

    /// <summary>A buffer for a form's text.</summary>
    internal Span<char> ReserveForm(int length)
    {
        ReturnForm();
        _form = BoundedArrayPool.RentChars(length);
        return _form;
    }

    /// <summary>The form's text.</summary>
    internal ReadOnlyMemory<char> Form(int length) => _form.AsMemory(0, length);

    /// <summary>The body, for the operation to read until the call has completed.</summary>
    internal ReadOnlyMemory<byte> LendBody()
    {
        IsBodyLent = true;
        return Body.WrittenMemory;
    }

    /// <summary>Marks that the call completed in a way that does not prove that its code has finished.</summary>
    internal void Abandon() => IsAbandoned = IsBodyLent;

    /// <summary>Clears the references to the request.</summary>
    internal void Clear()
    {
        Arguments.Clear();
        Clear(Body);
        Clear(Output);
        ReturnForm();
        IsBodyLent = false;
        if (Services.WasSeen)
        {
            // Code that kept it keeps this request's services and never gets those of another request.
            Services = new RequestServices();
        }
        else
        {
            Services.Detach();
        }
    }

    private static void Clear(PayloadWriter writer)
    {
        if (writer.Capacity > LargestKept)
        {
            writer.Dispose();
        }
        else
        {
            writer.Clear();
        }
    }

    private void ReturnForm()
    {
        if (_form.Length > 0)
        {
            BoundedArrayPool.Return(_form);
            _form = [];
        }
    }
}
