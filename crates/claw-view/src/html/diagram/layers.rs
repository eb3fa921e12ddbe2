//! Places the nodes of a directed graph in layers, so that most arrows lead from one layer to a later one.
//!
//! The steps are those of Sugiyama: arrows of a cycle are reversed, each node gets a layer, arrows that cross layers get a
//! point in each of them, the order in a layer is chosen for few crossings, and each point moves as close to its neighbors
//! as the order allows.

use super::picture::count;

/// The maximum number of points: nodes, and points of arrows in layers.
const MOST_POINTS: usize = 2_000;
/// The number of times that all layers are ordered.
const ORDERINGS: usize = 12;
/// The number of times that all points are moved, first towards the neighbors on one side, and then towards all.
const SWEEPS: usize = 48;
const ONE_SIDED: usize = 8;
/// The parts of a pixel in which points are moved, so that long arrows become straight.
const PARTS: i32 = 32;
/// The space between two points of a layer, in pixels.
const BESIDE: i32 = 28;
/// The space between two layers, in pixels.
const BETWEEN: i32 = 52;
/// How much more a straight part of a long arrow counts than an arrow between neighbors.
const STRAIGHT: i64 = 8;

/// A size, or a place: across the layers, and along the arrows. In pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) across: i32,
    pub(super) along: i32,
}

/// An arrow between two different nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The number of layers between its ends, at least.
    pub(super) length: usize,
    /// The size of its text.
    pub(super) label: Spot,
}

/// The way of an arrow from its first end to its second.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    pub(super) spots: Vec<Spot>,
    /// The middle of its text.
    pub(super) label: Spot,
}

/// The places of all nodes, which are their middles, and the ways of all arrows.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) nodes: Vec<Spot>,
    pub(super) ways: Vec<Way>,
    pub(super) size: Spot,
}

/// A node, or a point of an arrow in a layer.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    layer: usize,
    size: Spot,
    is_node: bool,
    /// Its middle, in parts of a pixel.
    across: i32,
}

/// Places nodes of these sizes. Returns `None` if the graph has too many points.
pub(super) fn place(nodes: &[Spot], arrows: &[Arrow]) -> Option<Placed> {
    let forward = forward(nodes.len(), arrows);
    // With a layer between all layers there is room for texts, and for two arrows between the same two nodes.
    let has_labels = arrows.iter().any(|arrow| arrow.label.along > 0);
    let factor = if has_labels || has_parallels(&forward) {
        2
    } else {
        1
    };
    let lengths: Vec<_> = arrows.iter().map(|arrow| arrow.length * factor).collect();
    let layers = layers(nodes.len(), &forward, &lengths);
    let points: usize = forward
        .iter()
        .map(|(from, to)| layers[*to] - layers[*from])
        .sum();
    if points + nodes.len() > MOST_POINTS {
        return None;
    }
    let mut graph = Graph::new(nodes, arrows, &forward, &layers);
    graph.order();
    graph.spread();
    Some(graph.placed(nodes, &forward, arrows, BETWEEN / count(factor)))
}

/// Returns the ends of all arrows. Those that would close a cycle are reversed.
fn forward(nodes: usize, arrows: &[Arrow]) -> Vec<(usize, usize)> {
    let mut ends: Vec<_> = arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    let mut leaving = vec![Vec::new(); nodes];
    for (index, arrow) in arrows.iter().enumerate() {
        leaving[arrow.from].push(index);
    }
    let mut is_open = vec![false; nodes];
    let mut is_done = vec![false; nodes];
    for root in 0..nodes {
        // Each entry is a node and the number of its arrows that were followed.
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.pop() {
            if is_done[node] {
                continue;
            }
            is_open[node] = true;
            let Some(&index) = leaving[node].get(next) else {
                (is_open[node], is_done[node]) = (false, true);
                continue;
            };
            path.push((node, next + 1));
            let to = arrows[index].to;
            if is_open[to] {
                ends[index] = (to, node);
            } else {
                path.push((to, 0));
            }
        }
    }
    ends
}

fn has_parallels(forward: &[(usize, usize)]) -> bool {
    let mut sorted = forward.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// Returns the layer of each node: as early as its arrows allow, and for a node without an arrow to it as late as possible.
fn layers(nodes: usize, forward: &[(usize, usize)], lengths: &[usize]) -> Vec<usize> {
    let mut layers = vec![0; nodes];
    let mut missing = vec![0; nodes];
    let mut leaving = vec![Vec::new(); nodes];
    for (index, (from, to)) in forward.iter().enumerate() {
        missing[*to] += 1;
        leaving[*from].push(index);
    }
    let is_first: Vec<_> = missing.iter().map(|missing| *missing == 0).collect();
    let mut ready: Vec<_> = (0..nodes).filter(|node| is_first[*node]).collect();
    while let Some(node) = ready.pop() {
        for &index in &leaving[node] {
            let to = forward[index].1;
            layers[to] = layers[to].max(layers[node] + lengths[index]);
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    for node in (0..nodes).filter(|node| is_first[*node]) {
        let latest = leaving[node]
            .iter()
            .map(|index| layers[forward[*index].1] - lengths[*index]);
        layers[node] = latest.min().unwrap_or(0);
    }
    layers
}

/// The points of a graph in their layers.
struct Graph {
    vertices: Vec<Vertex>,
    /// The points of each layer in their order.
    layers: Vec<Vec<usize>>,
    /// The neighbors of each point in the layer before it and in the layer after it.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    /// The points of each arrow, in the order of the layers.
    chains: Vec<Vec<usize>>,
}

impl Graph {
    fn new(nodes: &[Spot], arrows: &[Arrow], forward: &[(usize, usize)], layers: &[usize]) -> Self {
        let vertex = |(size, layer): (&Spot, &usize)| Vertex {
            layer: *layer,
            size: *size,
            is_node: true,
            across: 0,
        };
        let mut vertices: Vec<_> = nodes.iter().zip(layers).map(vertex).collect();
        let mut chains = Vec::new();
        for ((from, to), arrow) in forward.iter().zip(arrows) {
            let (first, last) = (layers[*from], layers[*to]);
            let mut chain = vec![*from];
            for layer in first + 1..last {
                chain.push(vertices.len());
                let is_middle = layer == usize::midpoint(first, last);
                vertices.push(Vertex {
                    layer,
                    size: if is_middle {
                        arrow.label
                    } else {
                        Spot::default()
                    },
                    is_node: false,
                    across: 0,
                });
            }
            chain.push(*to);
            chains.push(chain);
        }
        let mut before = vec![Vec::new(); vertices.len()];
        let mut after = vec![Vec::new(); vertices.len()];
        for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
            after[pair[0]].push(pair[1]);
            before[pair[1]].push(pair[0]);
        }
        let mut graph = Self {
            layers: Vec::new(),
            vertices,
            before,
            after,
            chains,
        };
        graph.layers = graph.first_order();
        graph
    }

    /// Puts each point into its layer, in the order in which arrows lead to it.
    fn first_order(&self) -> Vec<Vec<usize>> {
        let last = self.vertices.iter().map(|vertex| vertex.layer).max();
        let mut layers = vec![Vec::new(); last.map_or(0, |last| last + 1)];
        let mut is_seen = vec![false; self.vertices.len()];
        for root in 0..self.vertices.len() {
            if !self.before[root].is_empty() {
                continue;
            }
            let mut stack = vec![root];
            while let Some(vertex) = stack.pop() {
                if !std::mem::replace(&mut is_seen[vertex], true) {
                    layers[self.vertices[vertex].layer].push(vertex);
                    stack.extend(self.after[vertex].iter().rev());
                }
            }
        }
        layers
    }

    /// Orders all layers for few crossings. The best order of all sweeps remains.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..ORDERINGS {
            let is_down = sweep % 2 == 0;
            let mut places = self.places();
            for step in 1..self.layers.len() {
                let layer = if is_down {
                    step
                } else {
                    self.layers.len() - 1 - step
                };
                let neighbors = if is_down { &self.before } else { &self.after };
                // A point without neighbors keeps its place.
                let middle = |vertex: usize| {
                    let all = &neighbors[vertex];
                    let sum: usize = all.iter().map(|it| places[*it]).sum();
                    (sum * 64)
                        .checked_div(all.len())
                        .unwrap_or(places[vertex] * 64)
                };
                let mut points = std::mem::take(&mut self.layers[layer]);
                points.sort_by_key(|vertex| middle(*vertex));
                for (place, vertex) in points.iter().enumerate() {
                    places[*vertex] = place;
                }
                self.layers[layer] = points;
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// Returns the place of each point in its layer.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.vertices.len()];
        for layer in &self.layers {
            for (place, vertex) in layer.iter().enumerate() {
                places[*vertex] = place;
            }
        }
        places
    }

    /// Counts the crossings of all arrows.
    fn crossings(&self) -> usize {
        let places = self.places();
        let mut crossings = 0;
        for layer in &self.layers {
            // The places at the later ends, sorted. An arrow crosses those of earlier points that end behind it.
            let mut ends: Vec<usize> = Vec::new();
            for vertex in layer {
                let mut own: Vec<_> = self.after[*vertex].iter().map(|it| places[*it]).collect();
                own.sort_unstable();
                for end in &own {
                    crossings += ends.len() - ends.partition_point(|it| it <= end);
                }
                ends.extend(own);
                ends.sort_unstable();
            }
        }
        crossings
    }

    /// Chooses the place of each point in its layer: close to its neighbors, and not over the next point.
    fn spread(&mut self) {
        for layer in 0..self.layers.len() {
            self.settle(layer, |_| (0, 1));
        }
        for sweep in 0..SWEEPS {
            let is_both = sweep >= ONE_SIDED;
            let is_down = sweep % 2 == 0;
            for step in 0..self.layers.len() {
                let layer = if is_down {
                    step
                } else {
                    self.layers.len() - 1 - step
                };
                let targets: Vec<_> = self.layers[layer]
                    .iter()
                    .map(|vertex| self.target(*vertex, is_down || is_both, !is_down || is_both))
                    .collect();
                self.settle(layer, |place| targets[place]);
            }
        }
    }

    /// Returns the mean of the neighbors' places, and its weight.
    fn target(&self, vertex: usize, with_before: bool, with_after: bool) -> (i32, i64) {
        let own = &self.vertices[vertex];
        let before = self.before[vertex].iter().filter(|_| with_before);
        let after = self.after[vertex].iter().filter(|_| with_after);
        let (mut sum, mut weights) = (0, 0);
        for other in before.chain(after).map(|it| &self.vertices[*it]) {
            let weight = match (own.is_node, other.is_node) {
                (true, true) => 1,
                (false, false) => STRAIGHT,
                _ => 2,
            };
            sum += i64::from(other.across) * weight;
            weights += weight;
        }
        let mean = sum.checked_div(weights);
        let mean = mean.and_then(|mean| i32::try_from(mean).ok());
        (mean.unwrap_or(own.across), weights.max(1))
    }

    /// Moves the points of a layer as close to their targets as their order and sizes allow. The sum of the squares of
    /// the distances is the smallest possible one.
    fn settle(&mut self, layer: usize, target: impl Fn(usize) -> (i32, i64)) {
        // A run of points that touch each other: the sum of their weighted places, the weights, and the number of points.
        let mut runs: Vec<(i64, i64, usize)> = Vec::new();
        let mut offsets = Vec::new();
        let mut offset = 0;
        let mut last: Option<i32> = None;
        for (place, vertex) in self.layers[layer].iter().enumerate() {
            let size = self.vertices[*vertex].size.across;
            if let Some(last) = last {
                offset += (i32::midpoint(last, size) + BESIDE) * PARTS;
            }
            last = Some(size);
            offsets.push(offset);
            let (aim, weight) = target(place);
            let mut run = (i64::from(aim - offset) * weight, weight, 1);
            while let Some(previous) = runs.pop_if(|it| it.0 * run.1 >= run.0 * it.1) {
                run = (run.0 + previous.0, run.1 + previous.1, run.2 + previous.2);
            }
            runs.push(run);
        }
        let places = runs.iter().flat_map(|(sum, weight, points)| {
            let mean = i32::try_from(sum / weight).unwrap_or(0);
            std::iter::repeat_n(mean, *points)
        });
        for ((place, offset), vertex) in places.zip(offsets).zip(&self.layers[layer]) {
            self.vertices[*vertex].across = place + offset;
        }
    }

    /// Returns the places of the nodes and the ways of the arrows.
    fn placed(
        &self,
        nodes: &[Spot],
        forward: &[(usize, usize)],
        arrows: &[Arrow],
        between: i32,
    ) -> Placed {
        let sides =
            |vertex: &Vertex, side: i32| vertex.across / PARTS + side * vertex.size.across / 2;
        let left = self.vertices.iter().map(|it| sides(it, -1)).min();
        let right = self.vertices.iter().map(|it| sides(it, 1)).max();
        let (left, right) = (left.unwrap_or(0), right.unwrap_or(0));
        // The begin and the end of each layer.
        let mut bands = Vec::new();
        let mut along = 0;
        for layer in &self.layers {
            let thick = layer.iter().map(|it| self.vertices[*it].size.along);
            let end = along + thick.max().unwrap_or(0);
            bands.push((along, end));
            along = end + between;
        }
        let spot = |vertex: usize| {
            let vertex = &self.vertices[vertex];
            let (begin, end) = bands[vertex.layer];
            Spot {
                across: vertex.across / PARTS - left,
                along: i32::midpoint(begin, end),
            }
        };
        let mut ways = Vec::new();
        for ((chain, (from, _)), arrow) in self.chains.iter().zip(forward).zip(arrows) {
            let mut way = Way::default();
            for vertex in chain {
                let (own, at) = (&self.vertices[*vertex], spot(*vertex));
                if !own.is_node && own.size.along > 0 {
                    way.label = at;
                }
                // A node is left at its border, and the curves are between the layers.
                let (begin, end) = bands[own.layer];
                let half = own.size.along / 2;
                let is_begin = way.spots.is_empty();
                let ends = match own.is_node {
                    true if is_begin => [at.along + half, end],
                    true => [begin, at.along - half],
                    false => [begin, end],
                };
                for along in ends {
                    way.spots.push(Spot { along, ..at });
                }
            }
            way.spots.dedup();
            if *from != arrow.from {
                way.spots.reverse();
            }
            ways.push(way);
        }
        Placed {
            nodes: (0..nodes.len()).map(spot).collect(),
            ways,
            size: Spot {
                across: right - left,
                along: bands.last().map_or(0, |band| band.1),
            },
        }
    }
}
